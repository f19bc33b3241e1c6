import { expect, test } from "vitest";
import { z } from "zod";

import { signUp } from "../support/client.ts";

/** The return value of an action with this code before its definition, in a new isolate. */
async function returnedBy(load: string, run: string): Promise<unknown> {
  const ada = await signUp();
  const component_code = `${load}
export default { name: "Loads", version: "0.0.1", type: "action", props: {}, async run() { ${run} } };`;
  return (await ada.post("/actions/run", { component_code })).body.data.ret;
}

test("a timer of the load fires in the first call", async () => {
  const returned = await returnedBy(
    `import timers from "node:timers";
    const fired = [];
    const { promise, resolve } = Promise.withResolvers();
    setImmediate((value) => fired.push(value), "immediate");
    setInterval(() => fired.push("interval"), 3_600_000).unref().hasRef();
    clearTimeout(setTimeout(() => fired.push("cleared"), 0));
    timers.setTimeout(() => { fired.push("timeout"); resolve(); }, 1);`,
    "await promise; return fired;",
  );
  expect(returned).toEqual(["immediate", "timeout"]);
});

test("a timer of the load that has not ended with a call goes on in the next one", async () => {
  const ada = await signUp();
  const component_code = `
    let ticks = 0;
    let wake;
    setInterval(() => { ticks += 1; wake?.(); }, 1);
    export default {
      name: "Ticks", version: "0.0.1", props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 86400 } } },
      async run() {
        const before = ticks;
        await new Promise((resolve) => { wake = resolve; });
        this.$emit({ isLater: ticks > before });
      },
    };`;
  const source = await ada.post("/sources", { component_code });
  const path = `/sources/${source.body.data.id}`;
  for (let run = 0; run < 2; run += 1)
    expect((await ada.post(`${path}/run`, { wait: 10 })).status).toBe(200);
  const { body } = await ada.get(`${path}/event_summaries?expand=event`);
  expect(body.data.length).toBeGreaterThanOrEqual(2);
  for (const { event } of body.data) expect(event).toEqual({ isLater: true });
});

test("random values of the load differ from each other and between isolates", async () => {
  const load = `
    import nodeCrypto, { randomBytes, randomInt, webcrypto } from "node:crypto";
    const values = [
      crypto.randomUUID(),
      nodeCrypto.randomUUID(),
      randomBytes(100).toString("hex"),
      randomBytes(100).toString("hex"),
      String(crypto.getRandomValues(new Uint32Array(4))),
      String(webcrypto.getRandomValues(new Uint8Array(16))),
      String(nodeCrypto.getRandomValues(new Uint8Array(16))),
      randomInt(2 ** 40),
    ];`;
  const first = z.array(z.unknown()).parse(await returnedBy(load, "return values;"));
  const second = z.array(z.unknown()).parse(await returnedBy(load, "return values;"));
  expect(new Set([...first, ...second]).size).toBe(16);
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(first.slice(0, 2)).toEqual([expect.stringMatching(uuid), expect.stringMatching(uuid)]);
});

test("a component whose load takes random values and timers offers options", async () => {
  const ada = await signUp();
  const component_code = `
    const id = crypto.randomUUID();
    let isFired = false;
    const fired = new Promise((resolve) => setTimeout(() => { isFired = true; resolve(); }, 0));
    export default {
      name: "Offers", version: "0.0.1", type: "action",
      props: { choice: { type: "string", async options() { await fired; return [String(isFired), String(id.length)]; } } },
      run() {},
    };`;
  const saved = await ada.post("/components", { component_code });
  const path = `/components/${saved.body.data.id}/options`;
  const offered = await ada.post(path, { prop_name: "choice", configured_props: {} });
  expect(offered.body.data.options.map(({ value }: { value: string }) => value)).toEqual([
    "true",
    "36",
  ]);
});

test("a request of the load is refused by an error that says so", async () => {
  const ada = await signUp();
  const component_code = `await fetch("https://example.test/");
    export default { name: "Asks", version: "0.0.1", type: "action", props: {}, run() {} };`;
  const saved = await ada.post("/components", { component_code });
  expect(saved.status).toBe(422);
  expect(saved.body.error).toContain(
    "The code sends a request or opens a connection while it is loaded, rather than in a run",
  );
});
