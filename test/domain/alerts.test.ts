import { expect, test } from "vitest";

import {
  ACCOUNT_ERROR,
  type AlertChange,
  afterAccountCheck,
  afterRun,
  afterTick,
  NO_ALERTS,
} from "#domain/alerts.ts";
import { newFailure } from "#domain/invocation.ts";

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);
const HOURLY = { cron: "0 * * * *", timezone: "UTC" };

test.for([
  [{ intervalSeconds: 60 }, 2 * MINUTE, false],
  [{ intervalSeconds: 60 }, 2 * MINUTE + 1, true],
  [HOURLY, 120 * MINUTE, false],
  [HOURLY, 120 * MINUTE + 1, true],
  // On weekdays at noon, from a Monday to a Wednesday.
  [{ cron: "0 12 * * 1-5", timezone: "UTC" }, 48 * 60 * MINUTE, false],
] as const)("a tick of %o that begins after %d ms is late: %s", ([schedule, afterMs, isLate]) => {
  const change = afterTick(NO_ALERTS, { prop: "timer", dueMs: NOON, schedule }, NOON + afterMs);
  expect(change !== undefined).toBe(isLate);
});

test("the tick of another timer does not end a timer's alert", () => {
  const late = { prop: "one", dueMs: NOON, schedule: { intervalSeconds: 60 } };
  const raised = afterTick(NO_ALERTS, late, NOON + 5 * MINUTE);
  const other = { ...late, prop: "two" };
  expect(afterTick(raised?.state ?? NO_ALERTS, other, NOON)).toBeUndefined();
  expect(afterTick(raised?.state ?? NO_ALERTS, late, NOON)).toMatchObject({
    state: { open: [] },
    notifications: [{ isRecovered: true }],
  });
});

const stateOf = (change: AlertChange | undefined) => change?.state ?? NO_ALERTS;

test("a successful run ends the alert about a lost account of a run, a check that of a dead account", () => {
  const failure = newFailure(ACCOUNT_ERROR, "app: no token");
  const byRun = stateOf(afterRun(NO_ALERTS, failure, 1));
  expect(afterRun(byRun, undefined, 2)).toMatchObject({
    state: { open: [] },
    notifications: [{ alert: { kind: "account_lost" }, isRecovered: true }],
  });
  const known = afterAccountCheck(byRun, ["apn_1"], 2);
  expect(known).toMatchObject({
    notifications: [],
    state: { open: [{ details: { accounts: ["apn_1"] } }] },
  });
  const failed = afterRun(stateOf(known), failure, 3);
  expect(failed).toMatchObject({
    notifications: [],
    state: { open: [{ sinceMs: 1, count: 2, details: { accounts: ["apn_1"] } }] },
  });
  const succeeded = afterRun(stateOf(failed), undefined, 4);
  expect(succeeded).toMatchObject({
    notifications: [],
    state: { failures: null, open: [{ count: 2 }] },
  });
  expect(afterAccountCheck(stateOf(succeeded), ["apn_1"], 5)).toBeUndefined();
  expect(afterAccountCheck(stateOf(succeeded), [], 5)).toMatchObject({
    state: { open: [] },
    notifications: [{ isRecovered: true }],
  });
  expect(afterAccountCheck(NO_ALERTS, [], 5)).toBeUndefined();
});
