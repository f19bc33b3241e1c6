import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { NOTHING } from "#db/usage.ts";
import { dayOf } from "#domain/billing.ts";
import { type Id, newId } from "#domain/ids.ts";
import { NO_QUOTAS } from "#domain/quotas.ts";

import { webhooksWithTotals, openUsage } from "../support/owner-tables.ts";

const [TODAY, , TWO_DAYS_AGO] = [0, 1, 2].map((ago) => dayOf(Date.now() / 1000 - ago * 24 * 3600));

test("totals of webhooks are deleted once no report can refer to them", async () => {
  const ownerId = newId("user");
  const stub = env.OWNERS.getByName(ownerId);
  const longAgoMs = Date.now() - 8 * 24 * 3600_000;
  const report = (webhookId: Id<"webhook">, process: number, day: string) =>
    stub.reportDeliveries({
      ownerId,
      webhookId,
      process,
      days: [{ day, attempts: 1, hours: { 8: [0, 0, 0, 1, 0] } }],
      before: [],
    });
  const [old, busy, recent, unwritten] = [0, 1, 2, 3].map(() => newId("webhook"));
  const webhooks = { old, busy, recent, unwritten };
  for (const id of Object.values(webhooks))
    await env.DB.prepare(
      "INSERT INTO webhooks (id, owner_id, user_id, url, active, created_at, updated_at) VALUES (?, ?, ?, 'http://a', 1, 1, 1)",
    )
      .bind(id, ownerId, ownerId)
      .run();
  if (!old || !busy || !recent || !unwritten) throw new Error("There are four webhooks");
  await report(old, longAgoMs, dayOf(longAgoMs / 1000));
  await report(busy, longAgoMs, TODAY ?? "");
  await report(recent, Date.now(), TWO_DAYS_AGO ?? "");
  await stub.flushUsage();
  await report(unwritten, longAgoMs, dayOf(longAgoMs / 1000));
  expect(await stub.deleteOldTotals()).toBe(1);
  expect(await stub.deleteOldTotals()).toBe(0);
  const left = await runInDurableObject(stub, (_, { storage }) => webhooksWithTotals(storage));
  expect(new Set(left)).toEqual(new Set([busy, recent, unwritten]));
});

test("failed deliveries are written to D1 after 5 s, and at most once a minute", async () => {
  const ownerId = newId("user");
  const stub = env.OWNERS.getByName(ownerId);
  await stub.beginRoutesChange("set up", []);
  await runInDurableObject(stub, async (_, { storage }) => {
    const webhookId = newId("webhook");
    const record = async () => ({ used: NOTHING, quotas: NO_QUOTAS });
    const { usage, alarm } = openUsage(storage, ownerId, record);
    const startMs = Date.now();
    const clock = vi.spyOn(Date, "now");
    try {
      const alarms = [];
      for (const [failed, afterMs] of [2000, 8000, 70_000, 300_000].entries()) {
        clock.mockReturnValue(startMs + afterMs);
        await storage.deleteAlarm();
        const hours = { 1: [0, 0, 0, failed + 1, failed + 1] };
        const days = [{ day: TODAY ?? "", attempts: failed + 1, hours }];
        usage.reportDeliveries({ ownerId, webhookId, process: 1, days, before: [] });
        alarms.push(((await storage.getAlarm()) ?? 0) - startMs);
        await usage.handleAlarm();
        alarm.rearm();
      }
      expect(alarms).toEqual([7000, 67_000, 127_000, 305_000]);
    } finally {
      clock.mockRestore();
    }
  });
});
