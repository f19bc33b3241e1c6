import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { newId } from "#domain/ids.ts";
import { meteredFetch } from "#sandbox/egress/metered-fetch.ts";
import { networkFetch } from "#sandbox/egress/network.ts";
import { EgressTally } from "#sandbox/egress/tally.ts";
import { createEndpointKey } from "#services/endpoint-keys.ts";
import { openVault } from "#vault/vault.ts";
import { ingress } from "#worker/ingress.ts";

import outbound from "../../src/outbound.ts";
import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

/** A dataset that stores its points: the local runtime's stores nothing. */
function newDataset() {
  const points: AnalyticsEngineDataPoint[] = [];
  const writeDataPoint = (point: AnalyticsEngineDataPoint = {}) => void points.push(point);
  return { points, dataset: { writeDataPoint } };
}

const NETWORK = { self: exports.default, ownUrls: [env.PUBLIC_URL], allowPrivate: true };

test("counts each request for its owner, with its outcome", async () => {
  const owner = newId("user");
  const { points, dataset } = newDataset();
  const { url, received } = await newReceiver({ status: 200 }, { status: 503 });
  const means = {
    owner,
    adapter: "loader",
    network: NETWORK,
    gatewayUrl: "",
    usage: dataset,
    tally: new EgressTally(),
  } as const;
  for (const body of ["first", "second"])
    await (await meteredFetch(new Request(url, { method: "POST", body }), means)).text();
  expect(await received()).toHaveLength(2);
  expect(points).toEqual(
    ["2xx", "5xx"].map((outcome) => ({
      indexes: [owner],
      blobs: [outcome, "POST", "loader"],
      doubles: [1, expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)],
    })),
  );
});

test("counts a forbidden request, too", async () => {
  const owner = newId("workspace");
  const { points, dataset } = newDataset();
  const network = { ...NETWORK, allowPrivate: false };
  await expect(
    meteredFetch(new Request("http://127.0.0.1/"), {
      owner,
      adapter: "loader",
      network,
      gatewayUrl: "",
      usage: dataset,
      tally: new EgressTally(),
    }),
  ).rejects.toThrow(TypeError);
  expect(points).toMatchObject([{ indexes: [owner], blobs: ["failed", "GET", "loader"] }]);
});

test("the outbound Worker filters and counts for the owner in the dispatch", async () => {
  const owner = newId("user");
  const { points, dataset } = newDataset();
  const outboundEnv = { ...env, OWNER: owner, EGRESS_USAGE: dataset, PLATFORM: exports.default };
  const platform = await outbound.fetch(
    new Request(`${env.PUBLIC_URL}/v1/openapi.json`),
    outboundEnv,
    createExecutionContext(),
  );
  expect(platform.status).toBe(200);
  await platform.text();
  const closed = { ...outboundEnv, ALLOW_PRIVATE_TARGETS: "false" };
  await expect(
    outbound.fetch(new Request("http://10.0.0.1/"), closed, createExecutionContext()),
  ).rejects.toThrow(TypeError);
  expect(points.map(({ indexes, blobs }) => [indexes?.[0], blobs?.[0]])).toEqual([
    [owner, "2xx"],
    [owner, "failed"],
  ]);
});

test("counts the bytes that headers declare, and reports all others as unmeasured", async () => {
  const owner = newId("user");
  const { points, dataset } = newDataset();
  const length = { "content-length": "3" };
  const answers = [
    () => new Response("abc", { headers: length }),
    () => new Response(new Response("abc").body),
    () => new Response(null, { status: 204 }),
    () => new Response("abc", { headers: { "content-length": "many" } }),
  ];
  const self = { fetch: async () => answers.shift()?.() ?? new Response(null) };
  const network = { ...NETWORK, self };
  const means = {
    owner,
    adapter: "dispatch",
    network,
    gatewayUrl: "",
    usage: dataset,
    tally: new EgressTally(),
  } as const;
  const send = async (init: RequestInit) =>
    (await meteredFetch(new Request(`${env.PUBLIC_URL}/`, init), means)).text();
  await send({ method: "PUT", body: "hello", headers: { "content-length": "5" } });
  await send({});
  await send({ method: "POST", body: new Response("x").body });
  await send({});
  expect(points.map(({ doubles }) => doubles?.slice(2))).toEqual([
    [5, 3, 0],
    [0, 0, 1],
    [0, 0, 1],
    [0, 0, 1],
  ]);
});

test("sends a request even if it cannot be counted", async () => {
  const { url, received } = await newReceiver({ status: 200 });
  const usage = {
    writeDataPoint: () => {
      throw new Error("too many data points");
    },
  };
  const means = {
    owner: newId("user"),
    adapter: "loader",
    network: NETWORK,
    gatewayUrl: "",
  } as const;
  expect(
    (
      await meteredFetch(new Request(url, { method: "POST", body: "x" }), {
        ...means,
        usage,
        tally: new EgressTally(),
      })
    ).status,
  ).toBe(200);
  expect(await received()).toHaveLength(1);
});

test("counts a component's sent bytes for its owner, with either adapter", async () => {
  const write = vi.spyOn(env.EGRESS_USAGE, "writeDataPoint");
  const { url } = await newReceiver({ status: 200 });
  const source = await deploy(
    `export default { props: { http: "$.interface.http" }, async run({ body }) {
       await (await fetch(body.url, { method: "POST", body: "12345" })).text();
       this.$emit({ sent: true });
     } }`,
  );
  await sendJson(source.url, { url });
  expect(await eventsOf(source.stub)).toHaveLength(1);
  const own = write.mock.calls.filter(
    ([point]) => point?.indexes?.[0] === source.deployment.ownerId,
  );
  expect(own).toHaveLength(1);
  const [[point]] = own as [[AnalyticsEngineDataPoint]];
  expect([point.blobs, point.doubles?.[2]]).toEqual([["2xx", "POST", env.USER_CODE], 5]);
  write.mockRestore();
});

test("a component that waits for too many others gets 508, and not a failed request", async () => {
  const tooDeep = async () => {
    throw new Error(
      "Subrequest depth limit exceeded. This request recursed through Workers too often.",
    );
  };
  const key = await createEndpointKey({ vault: openVault(env) }, newId("source"));
  const incoming = new Request(`${env.PUBLIC_URL}/e/${key}`);
  const outside = await networkFetch(incoming, { ...NETWORK, self: { fetch: tooDeep } });
  const place = { answer: tooDeep };
  const inside = await ingress(incoming, { ...env, SOURCES: { getByName: () => place } as never });
  for (const answer of [outside, inside])
    expect([answer?.status, await answer?.json()]).toMatchObject([508, { code: "loop_detected" }]);
  const failing = { ...NETWORK, self: { fetch: () => Promise.reject(new Error("broken")) } };
  await expect(networkFetch(incoming, failing)).rejects.toThrow("broken");
});
