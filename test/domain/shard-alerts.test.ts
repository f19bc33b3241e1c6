import * as fc from "fast-check";
import { expect, test } from "vitest";

import {
  ACCOUNT_ERROR,
  afterAccountCheck,
  type AlertChange,
  type AlertState,
  NO_ALERTS,
} from "#domain/alerts.ts";
import { newFailure } from "#domain/invocation.ts";
import { afterRunOrParking, RUN_ABANDONED } from "#domain/parked-events.ts";
import { afterShardRuns, countRun, needsSuccesses, type ShardRuns } from "#domain/shard-alerts.ts";

const FAILURES = {
  failed: newFailure("TypeError", "broken"),
  lost: newFailure(ACCOUNT_ERROR, "no token"),
  parked: newFailure(RUN_ABANDONED, "given up"),
  succeeded: undefined,
};

type End = { shard: number; result: keyof typeof FAILURES };

/** A state of alerts, and the notifications that led to it. */
class Alerting {
  state: AlertState = NO_ALERTS;
  readonly sent: object[] = [];

  apply(change: AlertChange | undefined): void {
    this.sent.push(...(change?.notifications ?? []).map(shown));
    this.state = change?.state ?? this.state;
  }
}

/** The alerts after runs, one each second: by the results of their shards, and as those of one object. */
function alertsAfter(ends: readonly End[]) {
  const shards = new Map<number, ShardRuns>();
  const [shared, alone] = [new Alerting(), new Alerting()];
  let succeededMs = 0;
  for (const [index, { shard, result }] of ends.entries()) {
    const nowMs = (index + 1) * 1000;
    const [failure, ended] = [FAILURES[result], { isRun: true, nowMs }];
    const runs = countRun(shards.get(shard), failure, ended);
    if (runs) shards.set(shard, runs);
    if (!failure) succeededMs = nowMs;
    shared.apply(afterShardRuns(shared.state, [...shards.values()], succeededMs));
    alone.apply(afterRunOrParking(alone.state, failure, ended));
  }
  return { sent: shared.sent, state: shared.state, alone };
}

function shown({ alert: { kind, sinceMs, details, error }, isRecovered }: Notification) {
  return { kind, sinceMs, isRecovered, ...(!isRecovered && { details, error }) };
}

type Notification = AlertChange["notifications"][number];

const of = (shard: number, result: End["result"], times: number): End[] =>
  Array.from({ length: times }, () => ({ shard, result }));

test("runs of several shards lead to the same alerts as those of one object", () => {
  const end = fc.record({
    shard: fc.integer({ min: 0, max: 3 }),
    result: fc.constantFrom("failed", "failed", "failed", "failed", "lost", "succeeded"),
    times: fc.integer({ min: 1, max: 8 }),
  });
  fc.assert(
    fc.property(fc.array(end, { maxLength: 30 }), (groups) => {
      const ends = groups.flatMap(({ shard, result, times }) => of(shard, result, times));
      const { sent, state, alone } = alertsAfter(ends);
      expect(sent).toEqual(alone.sent);
      const kinds = ({ open }: AlertState) => open.map(({ kind }) => kind).toSorted();
      expect(kinds(state)).toEqual(kinds(alone.state));
    }),
    {
      examples: [
        [
          [
            { shard: 0, result: "failed", times: 8 },
            { shard: 1, result: "failed", times: 8 },
          ],
        ],
      ],
    },
  );
});

test("ten failed runs of four shards are one alert, which a successful run of any ends", () => {
  const failed = [0, 1, 2, 3].flatMap((shard) => of(shard, "failed", 3));
  expect(alertsAfter(failed).sent).toMatchObject([
    { kind: "failing", isRecovered: false, sinceMs: 1000, details: { failures: 10 } },
  ]);
  expect(alertsAfter([...failed, ...of(4, "succeeded", 1)]).sent).toMatchObject([
    { isRecovered: false },
    { kind: "failing", isRecovered: true },
  ]);
});

test("an open alert counts the failed runs of all shards", () => {
  const { state } = alertsAfter([...of(0, "failed", 9), ...of(1, "failed", 6)]);
  expect(state.open).toMatchObject([{ kind: "failing", count: 15 }]);
});

test("events that several shards park are one alert with their count", () => {
  const { sent, state } = alertsAfter([...of(0, "parked", 1), ...of(1, "parked", 2)]);
  expect(sent).toMatchObject([{ kind: "event_parked", isRecovered: false }]);
  expect(state.open).toMatchObject([{ kind: "event_parked", count: 3 }]);
});

test("an alert that names lost accounts ends with a check of these, whatever runs succeed", () => {
  const { state } = alertsAfter(of(1, "lost", 1));
  const named = afterAccountCheck(state, ["apn_1"], 2000)?.state ?? state;
  expect(afterShardRuns(named, [], 3000)).toMatchObject({
    state: { open: [{ kind: "account_lost" }] },
    notifications: [],
  });
});

test("successful runs are looked up only if they prevent or end an alert", () => {
  const runs = (times: number, more: readonly End[] = []): ShardRuns[] => {
    let one: ShardRuns | undefined;
    for (const [index, { result }] of [...of(0, "failed", times), ...more].entries())
      one = countRun(one, FAILURES[result], { isRun: true, nowMs: index + 1 }) ?? one;
    return one ? [one] : [];
  };
  expect(needsSuccesses(NO_ALERTS, runs(9), 0)).toBe(false);
  expect(needsSuccesses(NO_ALERTS, runs(10), 0)).toBe(true);
  expect(needsSuccesses(NO_ALERTS, runs(10), 5)).toBe(false);
  expect(needsSuccesses(NO_ALERTS, runs(10, of(0, "succeeded", 1)), 0)).toBe(false);
  const { state } = alertsAfter(of(0, "failed", 10));
  expect(needsSuccesses(state, [], 0)).toBe(true);
});
