import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { deploy, deploymentOf, eventsOf, ORIGIN, send, sendJson } from "../support/deploy.ts";

/** A component that records each hook in `db` and emits the records when its endpoint is called. */
const NOTING = `
  const note = (self, hook) => self.db.set("hooks", [...(self.db.get("hooks") ?? []), hook]);
  export default {
    props: { http: "$.interface.http", db: "$.service.db" },
    hooks: {
      deploy() { note(this, "deploy") },
      activate() { note(this, "activate") },
      deactivate() { note(this, "deactivate") },
    },
    run() { this.$emit(this.db.get("hooks")) },
  }`;

async function hooksOf({ stub, url }: Awaited<ReturnType<typeof deploy>>) {
  await send(url);
  return (await eventsOf(stub))[0]?.event;
}

test("a new source runs deploy, then activate", async () => {
  expect(await hooksOf(await deploy(NOTING))).toEqual(["deploy", "activate"]);
});

test("an update runs deactivate on the old code, then activate on the new", async () => {
  const source = await deploy(NOTING);
  await source.stub.update(source.deployment, true);
  expect(await hooksOf(source)).toEqual(["deploy", "activate", "deactivate", "activate"]);
});

test("switching off runs deactivate only, switching on activate only", async () => {
  const source = await deploy(NOTING);
  await source.stub.update(source.deployment, false);
  expect((await send(source.url)).status).toBe(404);
  await source.stub.update(source.deployment, true);
  expect(await hooksOf(source)).toEqual(["deploy", "activate", "deactivate", "activate"]);
});

test("the result names a failing deploy hook, and nothing is stored", async () => {
  const { stub, result, url } = await deploy(`export default {
    props: { http: "$.interface.http" },
    hooks: { deploy() { this.$emit("lost"); throw new RangeError("no such account") } },
    run() {},
  }`);
  expect(result).toMatchObject({
    ok: false,
    hook: "deploy",
    failure: { name: "RangeError", message: "no such account" },
  });
  expect(await stub.current()).toBeNull();
  expect(await eventsOf(stub)).toEqual([]);
  expect((await send(url)).status).toBe(404);
});

test("a failed update keeps the old code, and activates it again", async () => {
  const source = await deploy(NOTING);
  const broken = await deploymentOf(
    `export default {
       props: { http: "$.interface.http", db: "$.service.db" },
       hooks: { activate() { throw new Error("refused") } },
       run() { this.$emit("new code") },
     }`,
    { id: source.deployment.sourceId, owner: source.deployment.ownerId },
  );
  const result = await source.stub.update(
    { ...broken, endpoints: source.deployment.endpoints },
    true,
  );
  expect(result).toMatchObject({ ok: false, hook: "activate", failure: { message: "refused" } });
  expect(await hooksOf(source)).toEqual(["deploy", "activate", "deactivate", "activate"]);
});

test("a failing deactivate hook is recorded, and does not block", async () => {
  const source = await deploy(`export default {
    props: { http: "$.interface.http" },
    hooks: { deactivate() { throw new Error("gone already") } },
    run() {},
  }`);
  expect(await source.stub.update(source.deployment, true)).toEqual({ ok: true });
  expect(await eventsOf(source.stub, "$errors")).toMatchObject([
    { event: { error: { message: "gone already" } } },
  ]);
});

test("hooks may emit", async () => {
  const { stub } = await deploy(`export default {
    props: { http: "$.interface.http" },
    hooks: {
      deploy() { this.$emit("deploying") },
      activate() { this.$emit("activating") },
    },
    run() {},
  }`);
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual(["activating", "deploying"]);
});

/** As providers do: call the endpoint before the response to the request of `activate()`. */
const HANDSHAKE = (request: string) => `
  import https from "node:https";
  import http from "node:http";
  export default {
    props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db" },
    hooks: {
      async activate() {
        this.db.set("token", "s3cret");
        const echoed = await (${request})(this.http.endpoint);
        this.db.set("echoed", echoed);
      },
    },
    run(event) {
      this.http.respond({ status: 200, body: String(this.db.get("token")) });
      this.$emit({ echoed: this.db.get("echoed") });
    },
  }`;

test.for([
  ["fetch", `async (url) => (await fetch(url)).text()`],
  [
    "node:http",
    `(url) => new Promise((resolve, reject) =>
       http.get(url, (res) => {
         let text = "";
         res.on("data", (chunk) => { text += chunk });
         res.on("end", () => resolve(text));
       }).on("error", reject))`,
  ],
] as const)(
  "a provider that calls back with %s during activate() sees the values that the hook has set",
  async ([, request]) => {
    const { stub, result, url } = await deploy(HANDSHAKE(request));
    expect(result).toEqual({ ok: true });
    await send(url);
    expect((await eventsOf(stub))[0]?.event).toEqual({ echoed: "s3cret" });
  },
);

test("a hook's writes do not overwrite those of a concurrent run", async () => {
  const { stub, url } = await deploy(`export default {
    props: { http: "$.interface.http", db: "$.service.db" },
    hooks: {
      async activate() {
        this.db.set("mine", 1);
        this.db.set("shared", "hook");
        await fetch(this.http.endpoint, { method: "POST" });
        this.db.set("late", 2);
      },
    },
    run() {
      if (this.db.get("shared") === "hook") this.db.set("shared", "run");
      this.$emit([this.db.get("mine"), this.db.get("shared"), this.db.get("late")]);
    },
  }`);
  await sendJson(url, {});
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual([
    [1, "run", 2],
    [1, "run", null],
  ]);
});

test("a removed source leaves no state, and its endpoint is 404", async () => {
  const { stub, url } = await deploy(NOTING);
  await stub.remove();
  expect(await stub.current()).toBeNull();
  expect((await send(url)).status).toBe(404);
});

test("an unknown endpoint is 404, and creates no storage", async () => {
  const key = "A".repeat(44);
  expect((await send(`${ORIGIN}/e/${key}`)).status).toBe(404);
  expect((await send(`${ORIGIN}/e/short`)).status).toBe(404);
  expect(await env.SOURCES.getByName(`dc_${"A".repeat(22)}`).current()).toBeNull();
});
