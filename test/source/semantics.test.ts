import { expect, test } from "vitest";

import { request, signUp } from "../support/client.ts";
import { deploy, eventsOf, send, sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

async function emittedBy(code: string, body: object = {}) {
  const { stub, url } = await deploy(code);
  await sendJson(url, body as never);
  return (await eventsOf(stub)).map(({ event }) => event).toReversed();
}

/** Save a source and run it once: its events. */
async function ranOnce(ada: Client, component_code: string, event?: unknown) {
  const { body } = await ada.post("/sources", { component_code });
  const ran = await ada.post(`/sources/${body.data.id}/run`, { wait: 20, event });
  return ran.body.data.events.map((summary: { event: unknown }) => summary.event);
}

test("this is one object per call: props, methods, apps and properties that methods set", async () => {
  const code = `
    const app = { type: "app", app: "crm", methods: {
      remember(x) { this.remembered = x; return this; },
      recall() { return [this.remembered, this.app, typeof this.$auth]; },
    } };
    export default {
      props: { http: "$.interface.http", app, db: "$.service.db", prefix: { type: "string", default: "p" } },
      methods: {
        keep(x) { this.kept = x; },
        same(other) { return other === this; },
        viaRun() { return typeof this.run + typeof this.$emit; },
      },
      async run() {
        const { keep, same, app, $emit } = this;
        keep(1); app.remember(2);
        $emit([this.kept, same(this), app.remember(3) === app, app.recall(), this.viaRun()]);
        [4, 5].forEach(this.$emit);
        await Promise.all([6].map(async (n) => this.$emit(n)));
      },
    }`;
  expect(await emittedBy(code)).toEqual([
    [1, true, true, [3, "crm", "object"], "functionfunction"],
    4,
    5,
    6,
  ]);
});

test("hooks have the same this as run: methods, apps, db, the endpoint, and run itself", async () => {
  const { stub, url } = await deploy(`
    const app = { type: "app", app: "crm", methods: { hello() { return "hello " + this.app; } } };
    export default {
      props: { http: "$.interface.http", app, db: "$.service.db" },
      methods: { greet() { return this.app.hello(); } },
      hooks: {
        async deploy() { const { greet } = this; this.db.set("greeting", greet()); await this.run({ from: this.http.endpoint }); },
      },
      run(event) { this.$emit([this.db.get("greeting"), event.from]); },
    }`);
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual([["hello crm", url]]);
});

test("db, $emit and respond are synchronous, and may be awaited", async () => {
  const { stub, url } = await deploy(`export default {
    props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db" },
    async run() {
      await this.db.set("n", 1);
      const n = await this.db.get("n");
      await this.$emit(n);
      await this.http.respond({ status: 200, body: String(n) });
      this.db.set("n", 2);
      this.$emit(this.db.get("n"));
    },
  }`);
  expect(await (await send(url)).text()).toBe("1");
  await expect.poll(async () => (await eventsOf(stub)).map(({ event }) => event)).toEqual([2, 1]);
});

test("emits, db writes and the response before an exception take effect", async () => {
  const { stub, url } = await deploy(`export default {
    props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db" },
    async run() {
      this.$emit(this.db.get("n") ?? 0);
      this.db.set("n", 1);
      this.http.respond({ status: 202 });
      throw new Error("after it all");
    },
  }`);
  expect((await send(url)).status).toBe(202);
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(1);
  expect((await send(url)).status).toBe(202);
  await expect.poll(async () => (await eventsOf(stub)).map(({ event }) => event)).toEqual([1, 0]);
});

test("unfinished work ends when run returns, without an error", async () => {
  const { stub, url } = await deploy(`export default { props: { http: "$.interface.http" },
    async run({ body }) {
      // In the isolate of both runs, the timer of the first is due before that of the second.
      if (body.isLast) return await new Promise((done) => setTimeout(done, 100));
      setTimeout(() => { this.$emit("late"); throw new Error("late"); }, 30); this.$emit("now");
    } }`);
  await sendJson(url, {});
  await sendJson(url, { isLast: true });
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual(["now"]);
  expect(await eventsOf(stub, "$errors")).toEqual([]);
});

test("the endpoint exists before deploy() runs", async () => {
  const { stub, result } = await deploy(`export default {
    props: { http: { type: "$.interface.http", customResponse: true } },
    hooks: { async deploy() { this.$emit(await (await fetch(this.http.endpoint, { method: "POST", body: "echo" })).text()); } },
    run({ body }) { this.http.respond({ status: 200, body }); },
  }`);
  expect(result).toEqual({ ok: true });
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual(["echo"]);
});

test("a timer of a propDefinition ticks, and a component without run emits the tick", async () => {
  const ada = await signUp();
  const component_code = `
    const app = { type: "app", app: "clock", propDefinitions: {
      poll: { type: "$.interface.timer", default: { intervalSeconds: 60 * 15 } } } };
    export default { name: "Tick", version: "1", dedupe: "unique",
      props: { app, timer: { propDefinition: [app, "poll"], label: "When" } } };`;
  const { body } = await ada.post("/sources", { component_code });
  expect(body.data.configured_props).toMatchObject({ timer: { interval_seconds: 900 } });
  const { id } = body.data;
  await expect
    .poll(async () => (await ada.get(`/sources/${id}/event_summaries`)).body.data)
    .toMatchObject([{ event: { timestamp: expect.any(Number), interval_seconds: 900 } }]);
});

test("executing the module determines the props: computed, spread, from a loop, and merged over definitions", async () => {
  const ada = await signUp();
  const component_code = `
    const app = { type: "app", app: "crm", propDefinitions: {
      list: { type: "string", label: "Theirs", description: "Theirs too", optional: true, default: "theirs" } } };
    const base = { props: { app, list: { propDefinition: [app, "list"], label: "Ours" } } };
    const props = { ...base.props };
    for (const n of [1, 2]) props["field" + n] = { type: "integer", default: n * 60, optional: true };
    export default { ...base, name: ["Com", "puted"].join(""), version: String(1 + 1), props, run() { this.$emit([this.list, this.field2]); } };`;
  const { data } = (await ada.post("/components", { component_code })).body;
  expect(data).toMatchObject({ name: "Computed", version: "2" });
  expect(data.configurable_props.slice(1)).toEqual([
    {
      name: "list",
      type: "string",
      label: "Ours",
      description: "Theirs too",
      optional: true,
      default: "theirs",
    },
    { name: "field1", type: "integer", default: 60, optional: true },
    { name: "field2", type: "integer", default: 120, optional: true },
  ]);
  expect(await ranOnce(ada, component_code)).toEqual([["theirs", 120]]);
});

test("deactivate runs on deletion of a source, with its last values", async () => {
  const ada = await signUp();
  const provider = await newReceiver({ status: 200 });
  const component_code = `export default { name: "Registered", version: "1",
    props: { http: "$.interface.http", db: "$.service.db", mark: { type: "string" } },
    methods: { report(hook) { return fetch("${provider.url}", { method: "POST", body: JSON.stringify([hook, this.mark, this.db.get("id")]) }); } },
    hooks: {
      async deploy() { await this.report("deploy"); },
      async activate() { await this.report("activate"); this.db.set("id", 7); },
      async deactivate() { await this.report("deactivate"); },
    },
    run() {} };`;
  const { body } = await ada.post("/sources", { component_code, configured_props: { mark: "a" } });
  const { id } = body.data;
  await ada.put(`/sources/${id}`, { configured_props: { mark: "b" } });
  await ada.delete(`/sources/${id}`);
  const received = (await provider.received()).map((one) => JSON.parse(one.body) as unknown);
  expect(received).toEqual([
    ["deploy", "a", null],
    ["activate", "a", null],
    ["deactivate", "a", 7],
    ["activate", "b", 7],
    ["deactivate", "b", 7],
  ]);
});

test("both a timer and an endpoint wake a source, which distinguishes them by their events", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "Both", version: "1",
    props: { http: "$.interface.http", timer: { type: "$.interface.timer", default: { intervalSeconds: 3600 } } },
    run(event) { this.$emit(event.interval_seconds ? "tick" : event.body); } };`;
  const { body } = await ada.post("/sources", { component_code });
  const { id, configured_props } = body.data;
  const endpoint = configured_props.http.endpoint_url.slice("http://wellspring.test".length);
  await request("POST", endpoint, { body: { n: 1 } });
  await expect
    .poll(async () => {
      const { data } = (await ada.get(`/sources/${id}/event_summaries`)).body;
      return new Set(data.map(({ event }: { event: unknown }) => JSON.stringify(event)));
    })
    .toEqual(new Set([`"tick"`, `{"n":1}`]));
});

test("async generators, top-level await, require and TypeScript enums work", async () => {
  const ada = await signUp();
  const component_code = `
    const { createHash } = require("crypto");
    const limit = await Promise.resolve(3);
    export default { name: "Modern", version: "1",
      methods: { async *pages() { for (let page = 1; page <= limit; page += 1) yield* [page]; } },
      async run() { for await (const page of this.pages()) this.$emit(page); this.$emit(createHash("md5").update("").digest("hex").length); } };`;
  expect((await ranOnce(ada, component_code)).toSorted()).toEqual([1, 2, 3, 32]);
});

test("apphooks and unknown props are kept and shown, and require no value", async () => {
  const ada = await signUp();
  const component_code = `
    const app = { type: "app", app: "chat" };
    export default { name: "Hooked", version: "1", props: {
      app,
      hook: { type: "$.interface.apphook", appProp: "app", eventNames: ["message"], static: [] },
      odd: { type: "$.service.unheard_of", optional: false, fields: [{ a: 1 }] },
    }, run(event) { this.$emit(event); } };`;
  const { data } = (await ada.post("/components", { component_code })).body;
  expect(data.configurable_props.slice(1)).toEqual([
    {
      name: "hook",
      type: "$.interface.apphook",
      appProp: "app",
      eventNames: ["message"],
      static: [],
    },
    { name: "odd", type: "$.service.unheard_of", optional: false, fields: [{ a: 1 }] },
  ]);
  expect(await ranOnce(ada, component_code, { text: "hi" })).toEqual([{ text: "hi" }]);
});

test("this without its app has only the configured props", async () => {
  const ada = await signUp();
  const component_code = `
    const app = { type: "app", app: "crm", methods: {} };
    export default {
      name: "Rest", version: "1",
      props: { app, db: "$.service.db", http: "$.interface.http", name: "string", tags: "string[]" },
      methods: { greet() { return "Hi " + this.name; } },
      run() {
        const { app, ...fields } = this;
        this.$emit({ fields: { ...fields }, rest: [this.greet(), typeof this.db.get, typeof this.$emit, typeof this.run] });
      },
    }`;
  const configured_props = { name: "Ada", tags: ["a"] };
  const { body } = await ada.post("/sources", { component_code, configured_props });
  const ran = await ada.post(`/sources/${body.data.id}/run`, { wait: 20 });
  expect(ran.body.data.events).toMatchObject([
    { event: { rest: ["Hi Ada", "function", "function", "function"] } },
  ]);
  expect(ran.body.data.events[0].event.fields).toEqual(configured_props);
});

test("the component's run may call a method with the name run", async () => {
  const code = `export default {
    props: { http: "$.interface.http" },
    methods: { async run(what) { this.$emit(what); } },
    async run() { await this.run("by the method"); },
  }`;
  expect(await emittedBy(code)).toEqual(["by the method"]);
});
