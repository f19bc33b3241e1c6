import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { expect, onTestFinished, test } from "vitest";

import { call, deploy, endpointOf, eventsOf } from "../../tools/scripts/api.ts";
import { offPrivateNetworks } from "../../tools/scripts/local/network.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";

/** Reports the ways in which a target is reachable, without any check of its URL. */
const PROBE = `
import { connect } from "cloudflare:sockets";
const REQUEST = new TextEncoder().encode("GET / HTTP/1.0\\r\\n\\r\\n");
const ways = {
  fetch: async (target) => (await fetch(target)).text(),
  operator: async (target, env) => (await env.OPERATOR_NETWORK.fetch(target)).text(),
  async connect(target) {
    const socket = connect(new URL(target).host);
    const writer = socket.writable.getWriter();
    await writer.write(REQUEST);
    return new Response(socket.readable).text();
  },
};
export default { async fetch(request, env) {
  const { target, way } = await request.json();
  return new Response(await ways[way](target, env).catch((error) => "failed: " + error.message));
} };`;

/** A server on all addresses of this machine that counts its requests. */
async function server(listener: RequestListener = (_, response) => void response.end("reached")) {
  const paths: string[] = [];
  const listening = createServer((request, response) => {
    paths.push(request.url ?? "");
    listener(request, response);
  }).listen(0);
  await once(listening, "listening");
  onTestFinished(() => void listening.close());
  return { port: (listening.address() as AddressInfo).port, paths };
}

test("a runtime without private networks blocks a name's private addresses, by fetch and by socket", async () => {
  const { port, paths } = await server();
  const probe = {
    name: "probe",
    modules: [{ type: "ESModule" as const, path: "probe.js", contents: PROBE }],
    compatibilityDate: "2026-10-01",
  };
  const log = new Log(LogLevel.NONE);
  const workers = offPrivateNetworks([probe]);
  const runtime = new Miniflare(
    convertV4MiniflareOptions({ workers, log, handleStructuredLogs: () => {} }),
  );
  onTestFinished(() => runtime.dispose());
  const reach = async (way: string, host: string) => {
    const body = JSON.stringify({ way, target: `http://${host}:${port}/` });
    return (await runtime.dispatchFetch("http://probe/", { method: "POST", body })).text();
  };

  const hosts = ["localhost", hostname(), "127.0.0.1", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"];
  for (const host of hosts) {
    expect([host, await reach("fetch", host)]).toEqual([
      host,
      expect.stringMatching(/^failed: .*resolves to a private address/),
    ]);
    expect([host, await reach("connect", host)]).toEqual([
      host,
      expect.stringMatching(/^failed: /),
    ]);
  }
  expect(paths).toEqual([]);
  expect(await reach("operator", "localhost")).toBe("reached");
});

const CURIOUS = `import { connect } from "node:net";
export default { name: "Curious", version: "0.0.1",
  props: { http: { type: "$.interface.http", customResponse: true } },
  async run({ path, body, headers }) {
    if (path === "/away") return this.http.respond({ status: 302, headers: { location: headers["x-to"] } });
    const { url, host, init } = body;
    const reading = url
      ? fetch(url, init).then((response) => response.text())
      : new Promise((resolve, reject) => {
          const [name, port] = host.split(":");
          const socket = connect({ host: name, port: Number(port) });
          let text = "";
          socket.on("data", (chunk) => { text += chunk; }).on("error", reject);
          socket.on("close", () => resolve(text));
          socket.write("GET / HTTP/1.0\\r\\n\\r\\n");
        });
    const text = await reading.catch((error) => "failed: " + error.message);
    this.http.respond({ status: 200, body: { text } });
  } };`;

test("a platform blocks private networks for components and webhooks, but reaches its registry", async () => {
  const inner = await server();
  const registry = await server((request, response) => {
    if (request.url?.startsWith("/-/")) {
      // A tarball is elsewhere, once by its address, once by a redirect.
      response.writeHead(302, { location: `http://127.0.0.1:${inner.port}${request.url}` }).end();
      return;
    }
    const name = request.url?.slice(1) ?? "";
    const origin = name === "elsewhere" ? `http://127.0.0.1:${inner.port}` : own();
    const dist = { tarball: `${origin}/-/${name}.tgz`, shasum: "0".repeat(40) };
    const versions = { "1.0.0": { name, version: "1.0.0", dist } };
    response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions }));
  });
  const own = () => `http://127.0.0.1:${registry.port}`;
  const stateDir = await mkdtemp(join(tmpdir(), "wellspring-network-"));
  onTestFinished(() => rm(stateDir, { recursive: true }));
  const platform = await startPlatform({
    stateDir,
    variables: { ALLOW_PRIVATE_TARGETS: "false", NPM_REGISTRY_URL: own(), LOG_LEVEL: "silent" },
  });
  onTestFinished(() => platform.stop());

  const target = `http://127.0.0.1:${inner.port}/`;
  const endpoint = endpointOf(await deploy(platform, CURIOUS));
  const reach = async (body: object) => {
    const init = { method: "POST", body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    const answer = (await (await fetch(endpoint, { ...init, headers })).json()) as { text: string };
    return answer.text;
  };
  expect(await reach({ url: target })).toMatch(/^failed: /);
  expect(await reach({ host: `0x7f.1:${inner.port}` })).toMatch(/^failed: |^$/);
  expect(await reach({ host: `localhost:${inner.port}` })).toMatch(/^failed: |^$/);
  const init = { headers: { "x-to": target } };
  expect(await reach({ url: `${endpoint}/away`, init })).toMatch(/^failed: /);

  for (const name of ["elsewhere", "redirected"])
    await expect(
      deploy(platform, `import "${name}"; export default { name: "P", version: "0.0.1" }`),
    ).rejects.toThrow(/private and loopback addresses/);
  expect(registry.paths).toContain("/redirected");
  expect(inner.paths).toEqual([]);

  // A webhook is rejected on creation, or at the latest on delivery.
  const emitter = await deploy(
    platform,
    `export default { name: "E", version: "0.0.1", props: { http: "$.interface.http" },
       run() { this.$emit({ sent: true }) } }`,
  );
  const url = `http://localhost:${inner.port}/hook`;
  const made = await call<{ id: string }>(platform, "/webhooks", { name: "W", url }).catch(
    () => null,
  );
  if (made)
    await call(platform, `/subscriptions`, { emitter_id: emitter.id, listener_id: made.id });
  await fetch(endpointOf(emitter), { method: "POST" });
  await expect.poll(() => eventsOf(platform, emitter)).toHaveLength(1);
  // A created one gets a delivery attempt, which fails.
  const isRefused = async () => {
    if (made === null) return true;
    const tried = await call<{ state: string }[]>(platform, `/webhooks/${made.id}/deliveries`);
    return tried.length > 0 && tried.every(({ state }) => state === "failed" || state === "dead");
  };
  await expect.poll(isRefused).toBe(true);
  expect(inner.paths).toEqual([]);
});
