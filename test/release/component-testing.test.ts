import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import type * as testing from "../../packages/component/src/testing.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILT = join(ROOT, "packages/component/dist/testing.js");

let folder: string;
let testSource: typeof testing.testSource;
let testAction: typeof testing.testAction;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "component-testing-"));
  ({ testSource, testAction } = (await import(BUILT)) as typeof testing);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Write a component with these fields to a new file. */
async function source(fields: string, name = crypto.randomUUID()): Promise<string> {
  const path = join(folder, `${name}.ts`);
  await writeFile(
    path,
    `import { defineSource } from "@wellspring/component";
export default defineSource({ name: "A", version: "1",
${fields} });`,
  );
  return path;
}

function action(fields: string): Promise<string> {
  return source(`type: "action",\n${fields}`);
}

test("a source polls the test's responses, at the test's time", async () => {
  const path = await source(`dedupe: "unique",
    props: { db: "$.service.db", timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } },
    async run({ timestamp }) {
      const response = await fetch("https://api.example.com/items?since=" + this.db.get("since"), { headers: { "x-key": "k" } });
      for (const item of await response.json()) this.$emit(item, { id: item.id, ts: item.at });
      this.db.set("since", timestamp);
      console.log("at", new Date().toISOString(), Date.now() === new Date().getTime());
    }`);
  const requests: string[] = [];
  const run = await testSource(path, {
    db: { since: 5, kept: true },
    now: "2026-02-03T04:05:06Z",
    seen: [{ id: "1", atMs: 1 }],
    async fetch(request) {
      requests.push(`${request.method} ${request.url} ${request.headers.get("x-key")}`);
      return Response.json([
        { id: 3, at: 30 },
        { id: 1, at: 10 },
        { id: 2, at: 20 },
      ]);
    },
  });
  expect(run.error).toBeUndefined();
  expect(requests).toEqual(["GET https://api.example.com/items?since=5 k"]);
  expect(run.emits).toEqual([
    { event: { id: 2, at: 20 }, id: "2", ts: 20 },
    { event: { id: 3, at: 30 }, id: "3", ts: 30 },
  ]);
  expect(run.db).toEqual({ since: 1_770_091_506, kept: true });
  expect(run.logs).toEqual([{ level: "info", message: "at 2026-02-03T04:05:06.000Z true" }]);
  expect(run.seen.map(({ id }) => id)).toEqual(["1", "2", "3"]);
});

test("timers advance the clock", async () => {
  const path = await source(`async run() {
    const before = Date.now();
    while (Date.now() < before + 30) await new Promise((resolve) => setTimeout(resolve, 10));
    this.$emit(Date.now() - before);
  }`);
  expect((await testSource(path, { now: 0 })).emits).toEqual([{ event: 30 }]);
});

test("a hook returns its writes, its requests and its error", async () => {
  const path = await source(`props: { db: "$.service.db", http: "$.interface.http" },
    hooks: {
      async activate() {
        this.db.set("id", "hook_1");
        await fetch("https://api.example.com/hooks", { method: "POST", body: JSON.stringify({ url: this.http.endpoint }) });
        this.$emit({ active: true });
        throw new RangeError("no more hooks");
      },
    },
    run() {}`);
  const sent: unknown[] = [];
  const run = await testSource(path, {
    hook: "activate",
    async fetch(request) {
      sent.push(await request.json());
      return new Response(null, { status: 204 });
    },
  });
  expect(sent).toEqual([{ url: "https://endpoint.test/http" }]);
  expect(run.db).toEqual({ id: "hook_1" });
  expect(run.emits).toEqual([{ event: { active: true } }]);
  expect(run.error).toMatchObject({ name: "RangeError", message: "no more hooks" });
  expect(run.error?.stack).toMatch(/activate \([\w-]+\.ts:9:/);
});

test("the library completes requests, and returns responses", async () => {
  const path = await source(`props: { http: { type: "$.interface.http", customResponse: true } },
    run(event) {
      this.http.respond({ status: 201, headers: { "x-a": "b" }, body: Buffer.from("bytes") });
      this.$emit(event);
    }`);
  const { emits, response } = await testSource(path, {
    event: { headers: { "x-signature": "s" }, bodyRaw: `{"id":7}` },
  });
  expect(emits[0]?.event).toEqual({
    method: "POST",
    path: "/",
    query: {},
    headers: { "x-signature": "s" },
    url: "https://endpoint.test/http",
    client_ip: "127.0.0.1",
    bodyRaw: `{"id":7}`,
    body: { id: 7 },
  });
  const body = new Uint8Array(Buffer.from("bytes"));
  expect(response).toEqual({ status: 201, headers: { "x-a": "b" }, body });
});

test("a request without a fetch fails the test, a network error fails the component", async () => {
  const path = await source(
    `async run() { await fetch("https://api.example.com/a").catch(() => {}); }`,
  );
  await expect(testSource(path)).rejects.toThrow(
    "fetch: the component requests GET https://api.example.com/a, and the test has no fetch",
  );
  const throws = () => {
    throw new Error("mine");
  };
  await expect(testSource(path, { fetch: throws })).rejects.toThrow("mine");
  const failing = await source(`async run() { await fetch("https://api.example.com/a"); }`);
  const { error } = await testSource(failing, { fetch: () => Response.error() });
  expect(error).toMatchObject({ name: "Error", message: "socket hang up" });
});

test("a test supplies apps, data stores, packages, files and dependent props", async () => {
  await mkdir(join(folder, "node_modules/shouting"), { recursive: true });
  await writeFile(join(folder, "node_modules/shouting/package.json"), `{"name": "shouting"}`);
  await writeFile(
    join(folder, "node_modules/shouting/index.js"),
    `module.exports = (text) => require("util").format("%s!", text.toUpperCase());`,
  );
  const path = join(folder, "whole.ts");
  await writeFile(
    path,
    `import { writeFileSync, readFileSync } from "node:fs";
    import shout from "shouting@1.0";
    import { defineApp, defineSource } from "@wellspring/component@0.1.0";
    const app = defineApp({ type: "app", app: "shop", methods: { token() { return this.$auth["api_key"]; } } });
    export default defineSource({ name: "Whole", version: "1",
      props: { app, counts: { type: "data_store" }, kind: { type: "string", reloadProps: true }, word: { type: "string", default: "hi" } },
      additionalProps() { return { [this.kind]: { type: "integer" } }; },
      async run() {
        writeFileSync("/tmp/a", "file");
        await this.counts.set("b", [...(await this.counts.keys()), (await this.counts.get("a")).n]);
        this.$emit([this.app.token(), shout(this.word), (this as any).size, readFileSync("/tmp/a", "utf8")]);
      },
    });`,
  );
  const props = {
    app: { $auth: { api_key: "k" } },
    counts: { a: { n: 1 } },
    kind: "size",
    size: 7,
  };
  const { emits, stores, error } = await testSource(path, { props });
  expect(error).toBeUndefined();
  expect(emits).toEqual([{ event: ["k", "HI!", 7, "file"] }]);
  expect(stores).toEqual({ counts: { a: { n: 1 }, b: ["a", 1] } });
  await expect(testSource(path, { props: { ...props, size: "big" } })).rejects.toThrow(
    "props.size: must be an integer",
  );
});

test("a run fails on its timeout, and the library kills an endless loop", async () => {
  const slow = await source(`run: () => new Promise((resolve) => setTimeout(resolve, 5000))`);
  const { error } = await testSource(slow, { timeoutMs: 100 });
  expect(error).toMatchObject({ name: "DeadlineExceeded" });
  const endless = await source(`run() { for (;;); }`);
  await expect(testSource(endless, { timeoutMs: 100 })).rejects.toThrow(
    "timeoutMs: the component did not end within 100 ms",
  );
});

test("the testing library rejects and warns like a deployment", async () => {
  await expect(
    testSource(await source(`props: { x: "$.interface.htp" }, run() {}`)),
  ).rejects.toThrow('did you mean "$.interface.http"?');
  await expect(testSource(await source(`props: { word: "string" }, run() {}`))).rejects.toThrow(
    "props.word: is required",
  );
  await expect(testSource(await source(`run() { return 1 +; }`))).rejects.toThrow(/Unexpected/);
  const thrown = await source(`...(() => { throw new Error("at load"); })(), run() {}`);
  await expect(testSource(thrown)).rejects.toThrow("The component failed: Error: at load");
  const path = await source(`dedupe: "unique", hooks: { activte() {} }, run() { this.$emit(1); }`);
  const { emits, uncaught, warnings } = await testSource(path);
  expect(warnings).toEqual(['hooks.activte: is never called: did you mean "activate"?']);
  expect(emits).toEqual([]);
  expect(uncaught).toMatchObject([{ message: expect.stringContaining("$emit needs an id") }]);
  await expect(testAction(path)).rejects.toThrow("testAction: the component is a source");
});

test("an action returns, exports, sends, pauses and ends the workflow", async () => {
  const path = await action(`props: { who: { type: "string" } },
    async run({ $, steps }) {
      $.export("$summary", "Greeted " + this.who);
      await $.respond({ status: 200, body: { ok: true } });
      await $.send.http({ url: "https://hooks.example.com", data: 1 });
      await $.flow.trigger("p_1", { a: 1 });
      $.flow.rerun(5000, { page: 2 });
      return [steps.before.x, $.context.run.runs, $.context.extra, new Date($.context.ts).getTime() === Date.now()];
    }`);
  const run = await testAction(path, {
    props: { who: "Ada" },
    steps: { before: { x: 1 } },
    context: { extra: "more" },
    now: 1000,
  });
  expect(run).toEqual({
    ret: [1, 1, "more", true],
    exports: { $summary: "Greeted Ada" },
    response: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: `{"ok":true}`,
    },
    sends: [{ kind: "http", message: { url: "https://hooks.example.com", data: 1 } }],
    triggers: [{ workflowId: "p_1", event: { a: 1 } }],
    pause: { kind: "rerun", ms: 5000, context: { page: 2 } },
    exit: undefined,
    logs: [],
    error: undefined,
    uncaught: [],
    stores: {},
    warnings: [],
  });
  const ending = await action(`run({ $ }) { return $.flow.exit("enough"); }`);
  expect(await testAction(ending)).toMatchObject({ exit: "enough", ret: undefined });
});
