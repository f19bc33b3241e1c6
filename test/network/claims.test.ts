import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";

import { BUDGET_HEADER, DEPTH_HEADER } from "#domain/chains.ts";
import { HOPS_HEADER } from "#domain/deliveries.ts";
import { newId } from "#domain/ids.ts";
import { meteredFetch } from "#sandbox/egress/metered-fetch.ts";
import { EgressTally } from "#sandbox/egress/tally.ts";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

/** Responds with the request's `cf` options and headers. */
const MIRROR = `export default { fetch: (request) =>
  Response.json({ cf: request.cf ?? null, headers: Object.fromEntries(request.headers) }) }`;

const CLAIMS = {
  "cf-connecting-ip": "6.6.6.6",
  "CF-IPCountry": "XX",
  "true-client-ip": "6.6.6.6",
  "x-real-ip": "6.6.6.6",
  "x-forwarded-for": "6.6.6.6",
  "x-forwarded-host": "elsewhere.test",
  forwarded: "for=6.6.6.6",
};

function mirror(): Fetcher {
  return env.LOADER.load({
    compatibilityDate: "2026-10-01",
    mainModule: "mirror.js",
    modules: { "mirror.js": MIRROR },
  }).getEntrypoint();
}

type Seen = { cf: Record<string, unknown> | null; headers: Record<string, string> };

test("outgoing requests carry no cf options and no forged sender headers", async () => {
  const means = {
    owner: newId("user"),
    adapter: "loader",
    network: { self: mirror(), ownUrls: [env.PUBLIC_URL], allowPrivate: true },
    gatewayUrl: "",
    usage: env.EGRESS_USAGE,
    tally: new EgressTally(),
  } as const;
  const request = new Request(`${env.PUBLIC_URL}/e/x`, {
    method: "POST",
    body: "kept",
    headers: { ...CLAIMS, kept: "yes" },
    cf: { cacheKey: "stolen", cacheEverything: true },
  });
  const { cf, headers } = await (await meteredFetch(request, means)).json<Seen>();
  expect(cf ?? {}).not.toHaveProperty("cacheKey");
  expect(cf ?? {}).not.toHaveProperty("cacheEverything");
  expect(headers).toMatchObject({ kept: "yes" });
  expect(Object.keys(headers)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(cf-|x-forwarded|forwarded|true-|x-real)/)]),
  );
});

test.each([
  [undefined, { hops: "16", budget: "0", depth: "3" }],
  [
    { hops: 4, budget: 70, depth: 2 },
    { hops: "4", budget: "70", depth: "2" },
  ],
])("a request carries its cause as the platform knows it: %o", async (cause, expected) => {
  const means = {
    owner: newId("user"),
    adapter: "loader",
    network: { self: mirror(), ownUrls: [env.PUBLIC_URL], allowPrivate: true },
    gatewayUrl: "",
    usage: env.EGRESS_USAGE,
    tally: new EgressTally(),
  } as const;
  const forged = { [HOPS_HEADER]: "0", [BUDGET_HEADER]: "10000", [DEPTH_HEADER]: "0" };
  const request = new Request(`${env.PUBLIC_URL}/e/x`, { headers: forged });
  const { headers } = await (await meteredFetch(request, { ...means, cause })).json<Seen>();
  expect(headers).toMatchObject({
    [HOPS_HEADER]: expected.hops,
    [BUDGET_HEADER]: expected.budget,
    [DEPTH_HEADER]: expected.depth,
  });
});

test.each([
  ["http://127.0.0.1:8787", "http://loops.example:8787/e/x", "16"],
  ["http://127.0.0.1:8787", "http://loops.example/e/x", undefined],
  ["https://events.example", "https://loops.example/e/x", undefined],
])("on the platform at %s, a request to %s has the hops %s", async (own, url, hops) => {
  // No name of a test resolves to this machine.
  const sent = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response());
  onTestFinished(() => sent.mockRestore());
  const means = {
    owner: newId("user"),
    adapter: "loader",
    network: { self: mirror(), ownUrls: [own], allowPrivate: true },
    gatewayUrl: "",
    usage: env.EGRESS_USAGE,
    tally: new EgressTally(),
  } as const;
  await meteredFetch(new Request(url, { headers: { [HOPS_HEADER]: "0" } }), means);
  const [request] = sent.mock.calls[0] ?? [];
  const { headers } = request instanceof Request ? request : new Request("http://none/");
  expect(headers.get(HOPS_HEADER) ?? undefined).toBe(hops);
});

test("an endpoint receives no address that a component forges", async () => {
  const target = await deploy(`export default { props: { http: "$.interface.http" },
    run({ client_ip, headers }) { this.$emit({ client_ip, names: Object.keys(headers) }) } }`);
  const { url } = await deploy(`export default { props: { http: "$.interface.http" },
    async run() {
      const init = { method: "POST", headers: ${JSON.stringify(CLAIMS)}, cf: { cacheTtl: 60 } };
      await (await fetch(${JSON.stringify(target.url)}, init)).text();
      await (await fetch(new Request(${JSON.stringify(target.url)}, init))).text();
    } }`);
  await sendJson(url, {});
  await expect.poll(async () => (await eventsOf(target.stub)).length).toBe(2);
  for (const { event } of await eventsOf(target.stub)) {
    const { client_ip, names } = event as { client_ip: string; names: string[] };
    expect(client_ip).toBe("");
    for (const name of Object.keys(CLAIMS)) expect(names).not.toContain(name.toLowerCase());
  }
});

test("other servers receive no client's address, and all other headers of components", async () => {
  const { url, received } = await newReceiver({ status: 200 });
  const headers = { ...CLAIMS, "cf-access-client-id": "a service's own" };
  const caller = await deploy(`export default { props: { http: "$.interface.http" },
    async run() { await (await fetch(${JSON.stringify(url)}, { method: "POST", headers: ${JSON.stringify(headers)} })).text() } }`);
  await sendJson(caller.url, {});
  await expect.poll(async () => (await received()).length).toBe(1);
  const [got] = await received();
  expect(got?.headers).toMatchObject({
    "cf-access-client-id": "a service's own",
    "x-forwarded-for": "6.6.6.6",
  });
  for (const name of ["cf-connecting-ip", "true-client-ip", "x-real-ip"])
    expect(got?.headers).not.toHaveProperty(name);
});
