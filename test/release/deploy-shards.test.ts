// @runs first

import { expect, test } from "vitest";

import { shardCount } from "../../tools/scripts/deploy/shards.ts";
import type { CloudflareAccount } from "../support/cloudflare/account.ts";
import { newOperator, firstWords } from "../support/operator.ts";

/** The platform's bound shards, and the number of them that accept new work. */
function shardsOf({ worker: { upload, consumed } }: CloudflareAccount) {
  const bindings = upload?.bindings ?? [];
  const textOf = (wanted: string) => bindings.find(({ name }) => name === wanted)?.text;
  return {
    queues: bindings.flatMap(({ queue_name: queue }) => queue ?? []).toSorted(),
    consumed: [...consumed].toSorted(),
    engines: bindings
      .flatMap(({ workflow_name: name }) => name ?? [])
      .filter((name) => name.startsWith("wellspring-runs")),
    active: [textOf("QUEUE_SHARDS"), textOf("WORKFLOW_SHARDS")],
  };
}

const SHARDS = {
  queues: ["emissions", "emissions-1", "emissions-2"],
  consumed: ["emissions", "emissions-1", "emissions-2"],
  engines: ["wellspring-runs", "wellspring-runs-1"],
  active: ["3", "2"],
};

test("deployments create shards, and keep them", async () => {
  const { cloudflare, deploy } = await newOperator();
  const first = await deploy({ shards: { queues: 3, workflows: 2 } });
  expect(firstWords(first)).toContain("shards");
  expect(shardsOf(cloudflare)).toEqual(SHARDS);
  expect([...cloudflare.queues.keys()].toSorted()).toEqual(
    [...SHARDS.queues, "emissions-dead"].toSorted(),
  );

  const second = await deploy();
  expect(firstWords(second)).toContain("up to date");
  expect(firstWords(second)).not.toContain("uploaded");
  expect(shardsOf(cloudflare)).toEqual(SHARDS);
});

test("deployments change the number of shards without losing any", async () => {
  const { cloudflare, deploy } = await newOperator();
  await deploy({ shards: { queues: 3, workflows: 2 } });
  const third = await deploy({ shards: { queues: 1, workflows: 4 } });
  expect(third.join("\n")).toContain("1 queues for events, and 2 that get nothing new");
  expect(shardsOf(cloudflare)).toEqual({
    ...SHARDS,
    engines: ["wellspring-runs", "wellspring-runs-1", "wellspring-runs-2", "wellspring-runs-3"],
    active: ["1", "4"],
  });

  const fourth = await deploy({ shards: { queues: undefined, workflows: 1 } });
  expect(fourth.join("\n")).toContain("1 engines for workflow runs, and 3 that get nothing new");
  expect(shardsOf(cloudflare)).toEqual({
    ...SHARDS,
    engines: ["wellspring-runs", "wellspring-runs-1", "wellspring-runs-2", "wellspring-runs-3"],
    active: ["1", "1"],
  });
});

test("without options there is one of each, with its original name", async () => {
  const { cloudflare, deploy } = await newOperator();
  const lines = await deploy({ skipCanary: true });
  expect(firstWords(lines)).not.toContain("shards");
  expect(shardsOf(cloudflare)).toEqual({
    queues: ["emissions"],
    consumed: ["emissions"],
    engines: ["wellspring-runs"],
    active: ["1", "1"],
  });
});

test("a check names the shards to create", async () => {
  const { check } = await newOperator();
  const { lines, error } = await check({}, { shards: { queues: 2, workflows: 2 } });
  expect(error).toBeUndefined();
  const report = lines.join("\n");
  expect(report).toMatch(/would create +queue emissions-1/);
  expect(report).toMatch(/would create +workflow wellspring-runs-1/);
});

test.for(["0", "-1", "1.5", "101", "many", ""])(
  "a deployment rejects %j as a number of shards",
  (value) => {
    expect(() => shardCount("--queues", value)).toThrow(
      `--queues must be a whole number from 1 to 100, not "${value}"`,
    );
  },
);
