import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";

import { expect, onTestFinished, test } from "vitest";

import { call, deploy, endpointOf } from "../../tools/scripts/api.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";

async function started(variables: Record<string, string>) {
  const stateDir = await mkdtemp(join(tmpdir(), "servers-"));
  const platform = await startPlatform({ stateDir, variables: { SANDBOXES: "0", ...variables } });
  onTestFinished(async () => {
    await platform.stop();
    await rm(stateDir, { recursive: true, force: true });
  });
  return platform;
}

/** Responds with the sender and the URL of a request. */
const MIRROR = `export default { name: "Mirror", version: "0.0.1",
  props: { http: { type: "$.interface.http", customResponse: true } },
  run({ client_ip, url }) { this.http.respond({ status: 200, body: { client_ip, url } }); } };`;

/** Request a path of the server at an address, like a proxy: with its client's host names. */
async function passOn(at: { address: string; port: string; path: string }, headers: object) {
  const { address: host, port, path } = at;
  return new Promise<[number | undefined, unknown]>((resolve, reject) => {
    const sent = request({ host, port, path, headers: { ...headers } }, (response) => {
      json(response).then((body) => resolve([response.statusCode, body]), reject);
    });
    sent.on("error", reject).end();
  });
}

test("on an IPv6 address, the API and endpoints respond at that address only", async () => {
  const platform = await started({ HOST: "::1" });
  const { origin, port } = new URL(platform.url);
  expect(origin).toBe(`http://[::1]:${port}`);
  const source = await deploy(
    platform,
    `export default { name: "Echo", version: "0.0.1", props: { http: "$.interface.http" }, run() {} };`,
  );
  expect(new URL(endpointOf(source)).origin).toBe(origin);
  expect((await fetch(endpointOf(source), { method: "POST" })).status).toBe(200);
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow("fetch failed");
});

test("behind a reverse proxy, events have the client address and URL of a trusted proxy", async () => {
  const platform = await started({
    HOST: "::",
    TRUSTED_PROXIES: "127.0.0.1",
    PUBLIC_URL: "https://api.example",
    EVENTS_URL: "https://hooks.example",
  });
  const { port } = new URL(platform.url);
  const mirror = await deploy(platform, MIRROR);
  const endpoint = endpointOf(mirror);
  expect(new URL(endpoint).origin).toBe("https://hooks.example");
  const { pathname: path } = new URL(endpoint);
  const headers = { host: "hooks.example", "x-forwarded-for": "6.6.6.6, 203.0.113.1" };

  const trusted = { address: "127.0.0.1", port, path };
  const url = `https://hooks.example${path}`;
  expect(await passOn(trusted, headers)).toEqual([200, { client_ip: "203.0.113.1", url }]);
  const forged = { ...headers, "cf-connecting-ip": "6.6.6.6", "mf-cf-blob": "{}" };
  expect(await passOn({ ...trusted, address: "::1" }, forged)).toEqual([
    200,
    { client_ip: "::1", url },
  ]);

  // The origin of endpoints serves nothing else, also if TLS ends at the proxy.
  const api = { ...trusted, path: "/v1/openapi.json" };
  expect(await passOn(api, { host: "hooks.example" })).toMatchObject([404, { code: "not_found" }]);
  expect(await passOn(api, { host: "api.example" })).toMatchObject([200, { openapi: "3.1.0" }]);
});

test("one URL serves the metrics of the platform, its processes and its disk, by a token of its own", async () => {
  const platform = await started({ SANDBOXES: "1", METRICS_TOKEN: "scrapers" });
  const { origin } = new URL(platform.url);
  const sending = await deploy(
    platform,
    `export default { name: "Sending", version: "0.0.1", props: { http: "$.interface.http" },
       async run() { await (await fetch("${origin}/health")).text(); this.$emit({}); } };`,
  );
  expect((await fetch(endpointOf(sending), { method: "POST" })).status).toBe(200);
  const { id: owner } = await call<{ id: string }>(platform, "/users/me");

  const headers = { authorization: "Bearer scrapers" };
  const scrape = async () => {
    const response = await fetch(`${origin}/admin/metrics`, { headers });
    expect(response.headers.get("content-type")).toMatch(
      /^application\/openmetrics-text; version=1/,
    );
    return response.text();
  };
  const ids = `owner_id="${owner}",emitter_id="${sending.id}"`;
  const egress = `wellspring_egress_requests_total{owner_id="${owner}",outcome="2xx",method="GET"`;
  // The request is counted with its response, the run a little later.
  const hasBoth = async () => {
    const samples = await scrape();
    return [egress, `wellspring_runs_total{${ids},`].every((part) => samples.includes(part));
  };
  await expect.poll(hasBoth, { interval: 500 }).toBe(true);
  const text = await scrape();
  expect(text).toContain(`wellspring_runs_total{${ids},outcome="succeeded",trigger="http"} 1\n`);
  expect(text).toMatch(/wellspring_request_duration_seconds_count\{route="\/v1\/sources",.*\} 1\n/);
  for (const process of ["supervisor", "runtime", "bundler"]) {
    expect(text).toMatch(new RegExp(`wellspring_memory_bytes{process="${process}"} [1-9]`));
    expect(text).toMatch(new RegExp(`wellspring_open_files{process="${process}"} [1-9]`));
  }
  expect(text).toMatch(/wellspring_disk_free_bytes [1-9]/);
  expect(text).toMatch(/wellspring_uptime_seconds [1-9]/);
  const build: { release: string; commit?: string } = await (
    await fetch(`${origin}/health`)
  ).json();
  expect(text).toContain(
    `wellspring_build_info{release="${build.release}",commit="${build.commit ?? ""}"}`,
  );
  expect(build.release).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await fetch(`${origin}/admin/metrics`)).status).toBe(401);
  expect((await fetch(`${origin}/admin/alerts`, { headers })).status).toBe(401);
  const admin = { authorization: `Bearer ${platform.adminToken}` };
  expect((await fetch(`${origin}/admin/metrics`, { headers: admin })).status).toBe(200);
});
