import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";

import { deploy, eventsOf, install, sendJson } from "../support/deploy.ts";

async function emittedBy(code: string, props = {}) {
  const { stub, url } = await deploy(code, { props });
  await sendJson(url, {});
  return (await eventsOf(stub)).map(({ event }) => event).toReversed();
}

test("methods and app methods are bound to their own this", async () => {
  const code = `
    const app = { type: "app", app: "crm", methods: {
      token() { return this.$auth.token ?? "none" },
      list() { return [1, 2].map(this.decorate) },
      decorate(n) { return this.app + n },
    } };
    export default {
      props: { http: "$.interface.http", app, prefix: "string" },
      methods: { say(x) { this.$emit(this.prefix + x) } },
      run() { const { say, app } = this; app.list().forEach(say); say(app.token()); },
    }`;
  expect(await emittedBy(code, { prefix: "> " })).toEqual(["> crm1", "> crm2", "> none"]);
});

test("a prop may be only its type, and a prop overrides its propDefinition", async () => {
  const [definition] = await install(
    `const app = { type: "app", app: "crm", propDefinitions: {
       list: { type: "string", label: "List", options: async () => [] },
       poll: { type: "$.interface.timer", default: { intervalSeconds: 60 } },
     } };
     export default { name: "n", version: "1", run() {}, props: {
       app, db: "$.service.db",
       list: { propDefinition: [app, "list"], label: "My list" },
       timer: { propDefinition: [app, "poll"] },
       odd: { type: "$.something.new", extra: 1 },
     } }`,
    newId("user"),
  );
  expect(definition.props).toEqual([
    { name: "app", type: "app", app: "crm" },
    { name: "db", type: "$.service.db" },
    { name: "list", type: "string", label: "My list", remoteOptions: true },
    { name: "timer", type: "$.interface.timer", default: { intervalSeconds: 60 } },
    { name: "odd", type: "$.something.new", extra: 1 },
  ]);
});

test("an error names a missing propDefinition", async () => {
  await expect(
    install(
      `export default { props: { list: { propDefinition: [{ type: "app" }, "lists"] } } }`,
      newId("user"),
    ),
  ).rejects.toThrow(`props.list: its app has no propDefinition named "lists"`);
});

test("db reads return copies, a missing key returns undefined, and setting undefined deletes a key", async () => {
  expect(
    await emittedBy(`export default { props: { http: "$.interface.http", db: "$.service.db" }, run() {
      this.$emit(this.db.get("none") === undefined);
      this.db.set("list", [1]);
      this.db.get("list").push(2);
      this.$emit(this.db.get("list"));
      this.db.set("list", undefined);
      this.$emit(this.db.get("list") === undefined);
    } }`),
  ).toEqual([true, [1], true]);
});

test.for([
  ["a value over 1 MB", `this.db.set("k", "x".repeat(1024 * 1024))`, /value may have at most 1 MB/],
  [
    "a db over 8 MB",
    `for (let n = 0; n < 9; n += 1) this.db.set("k" + n, "x".repeat(1000 * 1000))`,
    /at most 8 MB/,
  ],
] as const)("%s is rejected inside the component", async ([, body, message]) => {
  const code = `export default { props: { http: "$.interface.http", db: "$.service.db" },
    run() { try { ${body} } catch (error) { this.$emit(error.message) } } }`;
  expect(await emittedBy(code)).toEqual([expect.stringMatching(message)]);
});

test("concurrent calls in one isolate have separate logs and environments", async () => {
  const { stub, url } =
    await deploy(`export default { props: { http: "$.interface.http" }, async run({ body }) {
    process.env.WHO = body.who;
    await new Promise((r) => setTimeout(r, body.ms));
    console.log(process.env.WHO);
    this.$emit(process.env.WHO);
  } }`);
  await Promise.all([sendJson(url, { who: "a", ms: 120 }), sendJson(url, { who: "b", ms: 40 })]);
  await expect
    .poll(async () => (await eventsOf(stub)).map(({ event }) => JSON.stringify(event)).toSorted())
    .toEqual([`"a"`, `"b"`]);
  const logs = (await eventsOf(stub, "$logs")).map(
    ({ event }) => event as { message: string; run_id: string },
  );
  expect(logs.map(({ message }) => message).toSorted()).toEqual(["a", "b"]);
  expect(logs[0]?.run_id).not.toBe(logs[1]?.run_id);
});

test("user code sees no binding, secret or global of the platform", async () => {
  const seen = await emittedBy(`
    import { env } from "cloudflare:workers";
    export default { props: { http: "$.interface.http" }, run() {
      this.$emit({ env: Object.keys(env), process: Object.keys(process.env), self: Object.getOwnPropertyNames(this).toSorted() });
    } }`);
  expect(seen).toEqual([{ env: [], process: ["PD_COMPONENT"], self: ["$emit", "http", "run"] }]);
});

test("user code has no access to the Cache API", async () => {
  const seen = await emittedBy(`
    import * as workers from "cloudflare:workers";
    import process from "node:process";
    const atLoad = [typeof caches, typeof globalThis.caches];
    const ways = () => {
      const found = [];
      for (const start of [globalThis, self, global, process, workers, workers.env])
        for (let object = start; object && object !== Object.prototype; object = Object.getPrototypeOf(object))
          for (const name of Reflect.ownKeys(object))
            if (/^caches$|^Cache(Storage)?$/.test(String(name))) found.push(String(name));
      return found;
    };
    export default { props: { http: "$.interface.http" }, run() {
      this.$emit([...atLoad, typeof self.caches, typeof ServiceWorkerGlobalScope.prototype.caches, ways()]);
      this.$emit([typeof workers.cache?.purge, "default" in (workers.cache ?? {})]);
    } }`);
  expect(seen).toEqual([
    ["undefined", "undefined", "undefined", "undefined", []],
    ["undefined", false],
  ]);
});

test("sources of one owner share an isolate, and owners never do", async () => {
  const code = `let calls = 0; export default { props: { http: "$.interface.http" }, run() { this.$emit(calls += 1) } }`;
  const [ada, eve] = [newId("user"), newId("user")];
  const sources = [
    await deploy(code, { owner: ada }),
    await deploy(code, { owner: ada }),
    await deploy(code, { owner: eve }),
  ];
  for (const { url } of sources) await sendJson(url, {});
  const counts = await Promise.all(
    sources.map(async ({ stub }) => (await eventsOf(stub))[0]?.event),
  );
  expect(counts).toEqual([1, 2, 1]);
});

test("rejects private addresses if configured to", async () => {
  const { refusalOf } = await import("#domain/targets.ts");
  expect(refusalOf("http://127.0.0.1/", true)).toBeUndefined();
  expect(refusalOf("http://127.0.0.1/", false)).toMatch(/private/);
});
