import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "../../src/domain/ids.ts";
import { leave } from "../../src/network/leave.ts";
import outbound from "../../src/outbound.ts";
import { newReceiver } from "../support/webhook.ts";

/** A dataset that keeps what it is given: the local runtime's keeps nothing. */
function newDataset() {
  const points: AnalyticsEngineDataPoint[] = [];
  const writeDataPoint = (point: AnalyticsEngineDataPoint = {}) => void points.push(point);
  return { points, dataset: { writeDataPoint } };
}

const NETWORK = { self: exports.default, publicUrl: env.PUBLIC_URL, allowPrivate: true };

test("each request is counted for its owner, with what came of it", async () => {
  const owner = newId("user");
  const { points, dataset } = newDataset();
  const { url, received } = await newReceiver({ status: 200 }, { status: 503 });
  const means = { owner, network: NETWORK, gatewayUrl: "", usage: dataset };
  for (const body of ["first", "second"])
    await (await leave(new Request(url, { method: "POST", body }), means)).text();
  expect(await received()).toHaveLength(2);
  expect(points).toEqual(
    ["2xx", "5xx"].map((outcome) => ({
      indexes: [owner],
      blobs: [outcome, "POST"],
      doubles: [1, expect.any(Number)],
    })),
  );
});

test("a request that may not go is counted as well", async () => {
  const owner = newId("workspace");
  const { points, dataset } = newDataset();
  const network = { ...NETWORK, allowPrivate: false };
  await expect(
    leave(new Request("http://127.0.0.1/"), { owner, network, gatewayUrl: "", usage: dataset }),
  ).rejects.toThrow(TypeError);
  expect(points).toMatchObject([{ indexes: [owner], blobs: ["failed", "GET"] }]);
});

test("the outbound Worker filters and counts for the owner that a dispatch names", async () => {
  const owner = newId("user");
  const { points, dataset } = newDataset();
  const outboundEnv = { ...env, OWNER: owner, EGRESS_USAGE: dataset, PLATFORM: exports.default };
  const platform = await outbound.fetch(
    new Request(`${env.PUBLIC_URL}/v1/openapi.json`),
    outboundEnv,
  );
  expect(platform.status).toBe(200);
  await platform.text();
  const closed = { ...outboundEnv, ALLOW_PRIVATE_TARGETS: "false" };
  await expect(outbound.fetch(new Request("http://10.0.0.1/"), closed)).rejects.toThrow(TypeError);
  expect(points.map(({ indexes, blobs }) => [indexes?.[0], blobs?.[0]])).toEqual([
    [owner, "2xx"],
    [owner, "failed"],
  ]);
});
