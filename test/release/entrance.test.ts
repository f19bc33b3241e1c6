import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import {
  call,
  deploy,
  type DeployedSource,
  endpointOf,
  eventsOf,
} from "../../tools/scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";
import { newGate } from "../support/gate.ts";

let stateDir: string;
let platform: RunningPlatform;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "wellspring-entrance-"));
  const variables = { ALLOW_PRIVATE_TARGETS: "false", LOG_LEVEL: "silent" };
  platform = await startPlatform({ stateDir, variables });
});

afterAll(async () => {
  await platform.stop();
  await rm(stateDir, { recursive: true, force: true });
});

/** The data that a raw connection receives until it closes. */
async function exchange(text: string): Promise<string> {
  const { hostname, port } = new URL(platform.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk))).write(text);
  await once(socket, "end");
  socket.destroy();
  return answer;
}

const ALLOW = "allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";

test.each(["CONNECT example.com:443", "TRACE /health"])(
  "%s gets a 405, and ends the connection after the requests before it",
  async (start) => {
    const refused = `${start} HTTP/1.1\r\nHost: example.com:443\r\n\r\n`;
    const answer = await exchange(refused);
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(answer).toContain(ALLOW);
    expect(answer).toMatch(/"code":"method_not_allowed"}$/);
    const health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    expect(await exchange(health + refused)).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 405 /);
  },
);

test.each(["TRACK", "BREW", "get"])("the unknown method %s gets a 501", async (method) => {
  const answer = await exchange(`${method} /health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/);
  expect(answer).toContain(`{"error":"The method ${method} is unknown"`);
});

test("other methods that the runtime knows reach the platform", async () => {
  const close = "Host: localhost\r\nConnection: close\r\n\r\n";
  expect(await exchange(`PROPFIND /health HTTP/1.1\r\n${close}`)).toMatch(
    /^HTTP\/1\.1 405 [^]*\/health takes GET, HEAD, not PROPFIND/,
  );
});

test("no header of Miniflare's chooses another Worker, and none of its paths is accessible", async () => {
  const { origin } = new URL(platform.url);
  for (const worker of ["wellspring-bundler", "wellspring-network"]) {
    const headers = { "mf-route-override": worker, "mf-original-url": "http://example.com/" };
    const answer = await fetch(`${origin}/v1/openapi.json`, { headers });
    expect(await answer.json()).toHaveProperty("openapi");
  }
  for (const path of ["r2/public/wellspring-code/x", "platform-proxy", "explorer"]) {
    const answer = await fetch(`${origin}/cdn-cgi/local/${path}`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: `There is no GET /cdn-cgi/local/${path}`, code: "not_found" },
    ]);
  }
});

test("large bodies pass unchanged in both directions", async () => {
  const source = await deploy(
    platform,
    `export default { name: "Echo", version: "0.0.1",
       props: { http: { type: "$.interface.http", customResponse: true } },
       run({ bodyRaw, client_ip }) { this.$emit({ client_ip }); this.http.respond({ status: 200, body: bodyRaw }); } };`,
  );
  const body = "0123456789".repeat(50_000);
  const bodies = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      // Once with a length, once in chunks.
      const stream = new Blob([body]).stream();
      const init = n % 2 ? { body } : { body: stream, duplex: "half" as const };
      return (await fetch(endpointOf(source), { method: "POST", ...init })).text();
    }),
  );
  expect(new Set(bodies)).toEqual(new Set([body]));
  await expect.poll(() => eventsOf(platform, source)).toHaveLength(8);
  const [newest] = await eventsOf(platform, source);
  expect(newest?.event).toEqual({ client_ip: "127.0.0.1" });
});

/** The status that a client reads which sends a body of many pieces, or the code of its error. */
function statusAfter(path: string, size: number, isChunked: boolean): Promise<unknown> {
  const { hostname, port } = new URL(platform.url);
  const headers = isChunked ? {} : { "content-length": size };
  const sent = request({ hostname, port, path, method: "POST", agent: false, headers });
  const answered = Promise.withResolvers<unknown>();
  sent.on("error", (error) => answered.resolve(Reflect.get(error, "code")));
  sent.on("response", (response) => answered.resolve(response.resume().statusCode));
  Readable.from(Array.from({ length: size / 50_000 }, () => Buffer.alloc(50_000))).pipe(sent);
  return answered.promise;
}

test("a client that still sends its body reads the refusal", async () => {
  const source = await deploy(
    platform,
    `export default { name: "Small", version: "0.0.1", props: { http: "$.interface.http" }, run() {} };`,
  );
  const { pathname } = new URL(endpointOf(source));
  const refusals = [
    [pathname, 413],
    [`${pathname}x`, 404],
    ["/v1/sources", 401],
    ["/health", 405],
  ] as const;
  for (const [path, status] of refusals)
    for (const size of [600_000, 2_000_000, 4_000_000])
      for (const isChunked of [false, true])
        expect([path, await statusAfter(path, size, isChunked)]).toEqual([path, status]);
});

type Gate = Awaited<ReturnType<typeof newGate>>;

/** Send a request, and close its connection once its code waits for a gate, before its response. */
async function hangUp(
  { url, apiKey }: RunningPlatform,
  { path, body, gate }: { path: string; body: object; gate: Gate },
): Promise<void> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
  };
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method: "POST", headers });
  const answered = once(sent.end(JSON.stringify(body)), "response").then(
    () => true,
    () => false,
  );
  await expect.poll(gate.requests).toBe(1);
  sent.destroy();
  expect(await answered).toBe(false);
  // The platform has seen it when it responds to a later request.
  await (await fetch(new URL("/health", url))).text();
  gate.open();
}

test("a closed connection stops neither a hook nor a run", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wellspring-hang-up-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // Of this one, code may call the test.
  const open = await startPlatform({ stateDir: folder, variables: { LOG_LEVEL: "silent" } });
  onTestFinished(open.stop);
  const gates = [await newGate(), await newGate()] as const;
  const [hook, run] = gates.map(({ url }) => `await fetch("${url}")`);
  const component_code = `export default { name: "Slow", version: "0.0.1",
    props: { http: { type: "$.interface.http", customResponse: true } },
    hooks: { async deploy() { ${hook}; this.$emit("hook"); } },
    async run() { ${run}; this.$emit("run"); this.http.respond({ status: 200 }); },
  };`;
  const body = { name: "slow", component_code };
  await hangUp(open, { path: "/v1/sources", body, gate: gates[0] });
  const named = async () => {
    const path = "/users/me/sources?q=slow";
    const sources = await call<(DeployedSource & { name: string; active: boolean })[]>(open, path);
    return sources.find(({ name }) => name === "slow");
  };
  await expect.poll(async () => (await named())?.active).toBe(true);

  const source = await named();
  if (!source) throw new Error("There is no source");
  const path = new URL(endpointOf(source)).pathname;
  await hangUp(open, { path, body: {}, gate: gates[1] });
  await expect
    .poll(async () => (await eventsOf(open, source)).map(({ event }) => event))
    .toEqual(["run", "hook"]);
});
