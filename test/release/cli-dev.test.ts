import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import {
  begin,
  type CliPlace,
  type CliSource,
  jsonOf,
  openPlace,
  post,
  wellspring,
} from "../support/cli.ts";

let folder: string;
let place: CliPlace;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ folder, place, close } = await openPlace());
});

afterAll(() => close());

/** A component of two files, the second of which exports the name of an order. */
async function component() {
  const path = await mkdtemp(join(folder, "component-"));
  await mkdir(join(path, "lib"));
  await writeFile(join(path, "lib/names.ts"), `export const word: string = "Order";\n`);
  await writeFile(
    join(path, "orders.ts"),
    `import { word } from "./lib/names.js";
export default {
  name: "Orders", version: "0.0.1", props: { http: "$.interface.http", greeting: "string" },
  run({ body }: { body: { id?: number } | null }) {
    console.log(this.greeting, "sees", body?.id);
    if (!body?.id) throw new TypeError("an order has an id");
    this.$emit(body, { id: body.id, summary: \`\${word} \${body.id}\` });
  },
};
`,
  );
  return path;
}

async function dev(path: string, ...more: string[]) {
  const running = begin(place, "dev", join(path, "orders.ts"), "-p", "greeting=Ada", ...more);
  onTestFinished(() => void running.child.kill("SIGKILL"));
  const endpoint = (await running.until(/(?<=^endpoint +)http:\S+(?=\n)/m)).trim();
  await running.until(/waiting for events/);
  return { ...running, endpoint };
}

test("dev shows requests, log lines, emits and errors with the line that threw", async () => {
  const running = await dev(await component());
  await post(running.endpoint, { id: 7 });
  await running.until(/run +POST \/ {2}ok {2}\d+ ms {2}1 event/);
  await running.until(/info +Ada sees 7/);
  await running.until(/emit +Order 7/);
  await post(`${running.endpoint}/wrong`, {});
  await running.until(/run +POST \/wrong {2}failed/);
  await running.until(
    /error +TypeError: an order has an id\n +at orders\.ts:6:\d+\n +6 \| if \(!body/,
  );
  expect(running.output.stdout).not.toContain("\u001B[");
  expect(running.output.stdout).not.toContain("delivery");
});

test("dev prints a command that sends its endpoint an event", async () => {
  const running = await dev(await component());
  const command = await running.until(/(?<=^try +)curl .+(?=\n)/m);
  await promisify(execFile)("sh", ["-c", command]);
  expect(await running.until(/emit +Order \d+/)).toMatch(/Order 1$/);
});

test("dev redeploys on a save of any file, keeps the last good version, and pauses its source on exit", async () => {
  const path = await component();
  const running = await dev(path, "--name", "redeployed");
  const names = join(path, "lib/names.ts");
  await writeFile(names, `export const word = "Changed";\n`);
  await running.until(/redeployed \d+ ms/);
  await post(running.endpoint, { id: 1 });
  await running.until(/emit +Changed 1/);

  await writeFile(names, `export const word = ;\n`);
  await running.until(
    /failed .*last working version continues[^]*lib\/names\.ts:1:\d+: Unexpected/,
  );
  await post(running.endpoint, { id: 2 });
  await running.until(/emit +Changed 2/);

  const before = await jsonOf<CliSource[]>(place, "list");
  expect(before.map(({ name }) => name)).toContain("redeployed");
  running.child.kill("SIGINT");
  const [code] = await once(running.child, "close");
  expect(code).toBe(0);
  const after = await jsonOf<CliSource[]>(place, "list");
  expect(after.filter(({ name }) => name === "redeployed")).toMatchObject([{ active: false }]);

  await writeFile(names, `export const word = "Later";\n`);
  const later = await dev(path, "--name", "redeployed");
  expect(later.endpoint).toBe(running.endpoint);
  await post(later.endpoint, { id: 3 });
  await later.until(/emit +Later 3/);
  expect(later.output.stdout).not.toContain("Changed");
});

test("dev ends what a killed session left: the source is paused, its webhook deleted", async () => {
  const path = await component();
  const forward = ["--forward", "http://127.0.0.1:9", "--name", "killed"];
  const { child } = await dev(path, ...forward);
  const sessions = join(folder, "home/dev");
  const records = await Promise.all(
    (await readdir(sessions)).map(async (file) =>
      JSON.parse(await readFile(join(sessions, file), "utf8")),
    ),
  );
  // In a clone, the command is a child of the process that was started.
  process.kill(records.find(({ name }) => name === "killed").pid, "SIGKILL");
  await once(child, "close");
  const left = async () => {
    const sources = await jsonOf<CliSource[]>(place, "list");
    const hooks = await jsonOf<{ name: string }[]>(place, "list", "webhooks");
    const active = sources.filter((source) => source.name === "killed" && source.active);
    return [active.length, hooks.filter(({ name }) => name === "wellspring dev").length];
  };
  expect(await left()).toEqual([1, 1]);
  await dev(await component());
  expect(await left()).toEqual([0, 0]);
});

test("dev ends its source when the process that started it was killed", async () => {
  const { child } = await dev(await component(), "--name", "orphaned");
  child.kill("SIGKILL");
  await expect
    .poll(
      async () => {
        const sources = await jsonOf<CliSource[]>(place, "list");
        return sources.find(({ name }) => name === "orphaned")?.active;
      },
      { timeout: 30_000 },
    )
    .toBe(false);
});

test("a source of dev without an endpoint is deleted when the reader of the output has gone", async () => {
  const path = join(await component(), "clock.ts");
  const code = `export default { name: "Clock", version: "1",
    props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 15 } } },
    run() { this.$emit({}, { summary: "tick" }); } };`;
  await writeFile(path, code);
  const running = begin(place, "dev", path);
  onTestFinished(() => void running.child.kill("SIGKILL"));
  await running.until(/emit +tick/);
  running.child.stdout.destroy();
  const [exit] = await once(running.child, "close");
  expect(exit).toBe(0);
  const names = (await jsonOf<CliSource[]>(place, "list")).map(({ name }) => name);
  expect(names).not.toContain("dev-Clock");
});

test("dev warns of an endless loop long before its run is given up", async () => {
  const path = join(await component(), "loop.ts");
  const code = `export default { name: "Loop", version: "1", props: { http: "$.interface.http" },
    run() { for (;;); } };`;
  await writeFile(path, code);
  const own = { WELLSPRING_URL: "", WELLSPRING_API_KEY: "", STATE_DIR: join(folder, "own") };
  const env = { ...place.env, ...own, PORT: "0", SANDBOXES: "1", DRAIN_SECONDS: "0" };
  const running = begin({ ...place, env }, "dev", path);
  onTestFinished(async () => {
    running.child.kill("SIGINT");
    await once(running.child, "close");
  });
  const endpoint = (await running.until(/(?<=^endpoint +)http:\S+(?=\n)/m, 200_000)).trim();
  await running.until(/waiting for events/);
  await post(endpoint, {});
  const shown = await running.until(/warning +A run has not yielded for 2 s[^]*/);
  expect(shown).not.toContain("RunAbandoned");
}, 300_000);

test("dev forwards deliveries, and shows the responses", async () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(String(request.headers["webhook-id"]));
    response.writeHead(418).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const running = await dev(await component(), "--forward", `http://127.0.0.1:${port}/hook`);
  await post(running.endpoint, { id: 7 });
  await running.until(/delivery +http:\S+\/hook {2}418/);
  expect(received).toHaveLength(1);
});

test("dev without a terminal names the missing props, and the option for them", async () => {
  const path = join(await component(), "orders.ts");
  const { code, stderr } = await wellspring(place, "dev", path);
  expect(code).toBe(2);
  expect(stderr).toMatch(/error: Props are missing: greeting; give it as --prop greeting=…/);
});
