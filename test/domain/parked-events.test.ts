import { expect, test } from "vitest";

import { NO_ALERTS } from "#domain/alerts.ts";
import { newFailure } from "#domain/invocation.ts";
import { afterRunOrParking, isParking } from "#domain/parked-events.ts";

const HOUR_MS = 60 * 60_000;
const HOPS = newFailure("TooManyHops", "Event dropped");

test("only a permanent failure parks an event", () => {
  for (const code of ["RunAbandoned", "TooManyHops", "TooManyRuns"])
    expect(isParking(code)).toBe(true);
  expect(isParking("Error")).toBe(false);
});

test("a parked event raises one alert, is counted, and a success after an hour ends the alert", () => {
  const note = { isRun: false, nowMs: 1000 };
  const first = afterRunOrParking(NO_ALERTS, HOPS, note);
  expect(first?.notifications).toMatchObject([
    { alert: { kind: "event_parked", sinceMs: 1000 }, isRecovered: false },
  ]);
  // A parked event without a run does not count as a failed run.
  expect(first?.state.failures).toBeNull();
  const again = afterRunOrParking(first?.state ?? NO_ALERTS, HOPS, { isRun: false, nowMs: 2000 });
  expect(again).toMatchObject({
    notifications: [],
    state: { open: [{ count: 2, sinceMs: 1000 }] },
  });
  const state = again?.state ?? NO_ALERTS;
  expect(afterRunOrParking(state, undefined, { isRun: true, nowMs: HOUR_MS })).toBeUndefined();
  const over = afterRunOrParking(state, undefined, { isRun: true, nowMs: 2000 + HOUR_MS });
  expect(over).toMatchObject({
    state: { open: [] },
    notifications: [{ alert: { kind: "event_parked" }, isRecovered: true }],
  });
});

test("an abandoned run also counts as failed", () => {
  const failure = newFailure("RunAbandoned", "Given up");
  const change = afterRunOrParking(NO_ALERTS, failure, { isRun: true, nowMs: 1 });
  expect(change?.state).toMatchObject({ failures: { count: 1 }, open: [{ kind: "event_parked" }] });
});

test("hooks and successes change nothing without parked events", () => {
  for (const isRun of [true, false])
    expect(afterRunOrParking(NO_ALERTS, undefined, { isRun, nowMs: 1 })).toBeUndefined();
});
