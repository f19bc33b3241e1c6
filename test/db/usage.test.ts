import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { recordUsage } from "#db/usage-reports.ts";
import type { HourCounts } from "#domain/activity.ts";
import type { DayUsage } from "#domain/billing.ts";
import { type Id, newId } from "#domain/ids.ts";

import { reportOf } from "../support/usage.ts";

const TODAY = "2026-11-21";

/** An owner whose emitters report runs of 100 ms. */
function newOwner() {
  const ownerId = newId("user");
  const on = (day: string, invocations: number): DayUsage => {
    return { day, invocations, computeMs: 100 * invocations, credits: invocations };
  };
  const report = async (emitterId: Id<"source">, ...days: DayUsage[]) =>
    (await recordUsage(connect(env.DB), reportOf(ownerId, emitterId, days), TODAY)).used;
  return { on, report };
}

test("adds up reports of several emitters for their owner, day by day", async () => {
  const { on, report } = newOwner();
  const [a, b] = [newId("source"), newId("source")];
  await report(a, on("2026-11-20", 5), on(TODAY, 2));
  expect(await report(b, on(TODAY, 1))).toEqual({ invocations: 3, computeMs: 300, credits: 3 });
  expect(await report(a, on(TODAY, 4))).toEqual({ invocations: 5, computeMs: 500, credits: 5 });
  expect(await report(a)).toEqual({ invocations: 5, computeMs: 500, credits: 5 });
});

test("a repeated or late report changes nothing", async () => {
  const { on, report } = newOwner();
  const [a, b] = [newId("source"), newId("source")];
  await report(b, on(TODAY, 1));
  await report(a, on(TODAY, 7));
  for (const invocations of [7, 3, 7, 0])
    expect(await report(a, on(TODAY, invocations))).toMatchObject({ invocations: 8 });
});

test("counts all simultaneous reports", async () => {
  const { on, report } = newOwner();
  const emitters = Array.from({ length: 20 }, () => newId("source"));
  await Promise.all(
    emitters.flatMap((id) => [1, 2, 3].map((invocations) => report(id, on(TODAY, invocations)))),
  );
  const first = emitters[0] ?? newId("source");
  expect(await report(first, on(TODAY, 3))).toEqual({
    invocations: 60,
    computeMs: 6000,
    credits: 60,
  });
});

test("adds up the hours of several emitters for their owner, each report once", async () => {
  const ownerId = newId("user");
  const [a, b] = [newId("source"), newId("source")];
  const report = async (emitterId: Id<"source">, invocations: number, hours: HourCounts) => {
    const day = { day: TODAY, invocations, computeMs: 0, credits: 0, hours };
    await recordUsage(connect(env.DB), reportOf(ownerId, emitterId, [day]), TODAY);
  };
  await report(a, 2, { 8: [2, 1, 3, 0, 0] });
  await report(b, 1, { 9: [1, 0, 1, 0, 0] });
  await report(a, 4, { 8: [2, 1, 3, 0, 0], 9: [2, 2, 0, 0, 0] });
  await report(a, 4, { 8: [2, 1, 3, 0, 0], 9: [2, 2, 0, 0, 0] });
  await report(a, 3, { 8: [2, 1, 3, 0, 0], 9: [1, 1, 0, 0, 0] });
  const rows = await env.DB.prepare("SELECT hours FROM owner_usage WHERE owner_id = ?")
    .bind(ownerId)
    .all<{ hours: string }>();
  expect(rows.results.map(({ hours }) => JSON.parse(hours))).toEqual([
    { 8: [2, 1, 3, 0, 0], 9: [3, 2, 1, 0, 0] },
  ]);
  const own = await env.DB.prepare("SELECT failures, events FROM usage WHERE emitter_id = ?")
    .bind(a)
    .first();
  expect(own).toEqual({ failures: 3, events: 3 });
});
