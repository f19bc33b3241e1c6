import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

import { afterAll, beforeAll, expect, test } from "vitest";

import { call, type DeployedSource, endpointOf } from "../../tools/scripts/api.ts";
import { type RunningPlatform, sandboxesOf, startPlatform } from "../../tools/scripts/platform.ts";
import { eventsOf, newState, samplesOf, send } from "../support/contained.ts";
import { newGate } from "../support/gate.ts";

// Users' code runs in another process than the platform: all that it uses crosses between them.

let platform: RunningPlatform;
let guarded: RunningPlatform;
const servers: Server[] = [];

beforeAll(async () => {
  const started = async (variables: Record<string, string>) =>
    startPlatform({
      stateDir: await newState(afterAll),
      variables: { SANDBOXES: "2", ...variables },
    });
  [platform, guarded] = await Promise.all([
    started({}),
    started({ ALLOW_PRIVATE_TARGETS: "false" }),
  ]);
});

afterAll(async () => {
  await Promise.all([platform, guarded].map((one) => one?.kill()));
  for (const server of servers) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A source whose run has this body, and further props. */
function component(body: string, props = "", imports = ""): string {
  return `${imports}
export default { name: "Crossing", version: "0.0.1", props: { http: { type: "$.interface.http", customResponse: true }, ${props} },
  async run(event) { ${body} } };`;
}

async function deployed(
  code: string,
  {
    on = platform,
    props = {},
    language = "js",
  }: { on?: RunningPlatform; props?: object; language?: string } = {},
): Promise<DeployedSource> {
  return call(on, "/sources", { component_code: code, configured_props: props, language });
}

/** The first events of a source on a channel, oldest first, once there are this many. */
async function emitted(source: DeployedSource, { count = 1, channel = "", on = platform } = {}) {
  await expect.poll(async () => (await eventsOf(on, source, channel)).length).toBe(count);
  return (await eventsOf(on, source, channel)).toReversed();
}

test("the code runs in a process of its own", async () => {
  expect(await sandboxesOf(platform)).toHaveLength(2);
  const isolates = async () => {
    const samples = await samplesOf(platform);
    return (samples['isolates{process="0"}'] ?? 0) + (samples['isolates{process="1"}'] ?? 0);
  };
  const before = await isolates();
  const source = await deployed(component(`this.http.respond({ status: 200 }); this.$emit({});`));
  await send(source, {});
  await emitted(source);
  await expect.poll(isolates).toBeGreaterThan(before);
});

test("a response, emits and their channels", async () => {
  const gate = await newGate();
  const before = await requestsOf(platform);
  const source = await deployed(
    component(`
      this.http.respond({ status: 201, headers: { "x-own": "yes" }, body: { got: event.body } });
      this.$emit({ n: 1 }, { id: "one" });
      this.$emit({ n: 2 }, { name: "other", summary: "The second" });
      await fetch("${gate.url}");
      this.$emit({ n: 3 });`),
  );
  const response = await fetch(endpointOf(source), { method: "POST", body: "text" });
  expect([response.status, response.headers.get("x-own")]).toEqual([201, "yes"]);
  expect(await response.json()).toEqual({ got: "text" });
  gate.open();
  expect(await emitted(source, { count: 2 })).toEqual([{ n: 1 }, { n: 3 }]);
  expect(await emitted(source, { channel: "other" })).toEqual([{ n: 2 }]);
  // The next test that counts requests begins with this one.
  await expect.poll(() => requestsOf(platform)).toBe(before + 1);
});

test("state of `$.service.db`, in the order of concurrent events", async () => {
  const source = await deployed(
    component(
      `this.http.respond({ status: 200 });
       const all = this.db.get("all") ?? [];
       this.db.set("all", [...all, event.body.n]);
       this.$emit({ length: this.db.get("all").length });`,
      `db: "$.service.db"`,
    ),
  );
  await Promise.all(Array.from({ length: 20 }, (_, n) => send(source, { n })));
  const lengths = (await emitted(source, { count: 20 })).map(({ length }) => length);
  expect(lengths).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
});

test("data stores, in both directions", async () => {
  const store = await call<{ id: string }>(platform, "/data_stores", { name: "shelf" });
  const source = await deployed(
    component(
      `this.http.respond({ status: 200 });
       await this.store.set("deep", { a: [1, { b: null }] });
       this.$emit({ has: await this.store.has("deep"), deep: await this.store.get("deep"), keys: await this.store.keys() });`,
      `store: { type: "data_store" }`,
    ),
    { props: { store: store.id } },
  );
  await send(source, {});
  expect(await emitted(source)).toEqual([
    { has: true, deep: { a: [1, { b: null }] }, keys: ["deep"] },
  ]);
});

test("requests to the network, which are counted", async () => {
  const got: (string | undefined)[] = [];
  const port = await portOf(
    createHttpServer((request: IncomingMessage, response) => {
      got.push(request.headers["x-own"]?.toString());
      response.writeHead(207, { "x-theirs": "too" }).end("their body");
    }),
  );
  const source = await deployed(
    component(`
      this.http.respond({ status: 200 });
      const response = await fetch("http://127.0.0.1:${port}/path", { method: "PUT", headers: { "x-own": "mine" }, body: "sent" });
      this.$emit({ status: response.status, theirs: response.headers.get("x-theirs"), text: await response.text() });`),
  );
  const before = await requestsOf(platform);
  await send(source, {});
  expect(await emitted(source)).toEqual([{ status: 207, theirs: "too", text: "their body" }]);
  expect(got).toEqual(["mine"]);
  await expect.poll(() => requestsOf(platform)).toBe(before + 1);
});

/** The number of users' requests to the network so far. */
async function requestsOf({ url, adminToken }: RunningPlatform): Promise<number> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const response = await fetch(`${new URL(url).origin}/admin/metrics`, { headers });
  const samples = (await response.text()).matchAll(
    /^wellspring_egress_requests_total\{[^}]*\} (\d+)/gm,
  );
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}

test("private targets are refused for requests and TCP where the setting forbids them", async () => {
  let connections = 0;
  const port = await portOf(
    createServer((socket) => {
      connections += 1;
      // The client may hang up first.
      socket.on("error", () => socket.destroy());
      socket.end("reached");
    }),
  );
  const code = component(
    `this.http.respond({ status: 200 });
     const fetched = await fetch("http://127.0.0.1:${port}").then(() => "reached", ({ message }) => message);
     const connected = await new Promise((done) => {
       const socket = net.connect(${port}, "127.0.0.1");
       socket.on("data", (data) => done(String(data))).on("error", () => done("failed")).on("close", () => done("closed"));
     });
     this.$emit({ fetched, connected });`,
    "",
    `import net from "node:net";`,
  );
  const source = await deployed(code, { on: guarded });
  await send(source, {});
  const [event] = await emitted(source, { on: guarded });
  expect(event).toMatchObject({ fetched: expect.stringMatching(/private|not allowed|refused/i) });
  expect(event?.["connected"]).not.toBe("reached");
  expect(connections).toBe(0);
  const allowed = await deployed(code);
  await send(allowed, {});
  expect(await emitted(allowed)).toMatchObject([{ connected: "reached" }]);
  expect(connections).toBeGreaterThan(0);
});

test("TCP in both directions, until both sides have ended", async () => {
  const port = await portOf(
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("data", (data) => socket.write(String(data).toUpperCase()));
      socket.on("end", () => socket.end("bye"));
    }),
  );
  const source = await deployed(
    component(
      `this.http.respond({ status: 200 });
       const socket = net.connect({ host: "127.0.0.1", port: ${port}, allowHalfOpen: true });
       socket.end("x".repeat(100000));
       let text = "";
       for await (const chunk of socket) text += chunk;
       this.$emit({ length: text.length, end: text.slice(-4) });`,
      "",
      `import net from "node:net";`,
    ),
  );
  await send(source, {});
  expect(await emitted(source)).toEqual([{ length: 100_003, end: "Xbye" }]);
});

test("files in /tmp, which no other run sees", async () => {
  const source = await deployed(
    component(
      `this.http.respond({ status: 200 });
       const found = await readFile("/tmp/own.txt", "utf8").catch(({ code }) => code);
       await writeFile("/tmp/own.txt", "kept for this run");
       this.$emit({ found, now: await readFile("/tmp/own.txt", "utf8") });`,
      "",
      `import { readFile, writeFile } from "node:fs/promises";`,
    ),
  );
  const event = { found: "ENOENT", now: "kept for this run" };
  await send(source, {});
  expect(await emitted(source)).toEqual([event]);
  await send(source, {});
  expect(await emitted(source, { count: 2 })).toEqual([event, event]);
});

test("log lines, and errors with stacks of the code that was sent", async () => {
  const source = await deployed(
    `type Sent = {
  n: number;
};

export default {
  name: "Failing", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }: { body: Sent }) {
    console.log("got", body.n);
    console.warn("about to fail");
    throw new RangeError("out of reach");
  },
};`,
    { language: "ts" },
  );
  await send(source, { n: 7 });
  const [{ error } = {}] = await emitted(source, { channel: "$errors" });
  expect(error).toMatchObject({ code: "RangeError", message: "out of reach" });
  // The lines of the type are not in the code that runs.
  expect(JSON.stringify(error)).toMatch(/component\.ts:10:\d+/);
  const lines = async () => {
    const path = `/sources/${source.id}/$logs/event_summaries?expand=event&limit=100`;
    const summaries = await call<{ event: { level: string; message: string } }[]>(platform, path);
    const oldestFirst = summaries.map(({ event }) => event).toReversed();
    return oldestFirst.map(({ level, message }) => [level, message.split("\n")[0]]);
  };
  await expect.poll(lines).toEqual([
    ["info", "got 7"],
    ["warn", "about to fail"],
    ["error", "RangeError: out of reach"],
  ]);
});
