import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { type DayUsage, usageOfRun } from "#domain/billing.ts";
import { newId } from "#domain/ids.ts";
import { Meter } from "#durable-objects/shared/meter.ts";

import { deploySharded, objectOf } from "../support/shards.ts";

test("usage that other objects report is reported soon, together, also if it arrives during a report", async () => {
  const { id } = await deploySharded(2);
  const reported = await runInDurableObject(objectOf(id, 0), async (_, { storage }) => {
    let unreported: DayUsage[] = [];
    const add = () => unreported.push(usageOfRun(1, Date.now(), false));
    const reports: number[] = [];
    const meter = new Meter({
      kv: storage.kv,
      usage: {
        hasUnreported: () => unreported.length > 0,
        unreported: () => [...unreported],
        settle: (days) => {
          unreported = unreported.filter((usage) => !days.includes(usage));
        },
      },
      identity: () => ({ emitterId: newId("source"), ownerId: newId("user") }),
      report: async ({ days }) => {
        reports.push(days.length);
        if (reports.length > 1) return null;
        add();
        meter.relay();
        return null;
      },
    });
    add();
    meter.relay();
    add();
    meter.relay();
    await expect.poll(() => reports.length).toBe(2);
    return reports;
  });
  expect(reported).toEqual([2, 1]);
});
