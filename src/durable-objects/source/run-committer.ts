import { type AlertChange, type AlertState, type Subject } from "#domain/alerts.ts";
import { usageOf } from "#domain/billing.ts";
import { divide, leftFor, shareOf, unsent } from "#domain/chains.ts";
import { LOG_CHANNEL } from "#domain/channels.ts";
import { admit } from "#domain/dedupe.ts";
import type { Position } from "#domain/event-ids.ts";
import {
  type Emission,
  type Failure,
  failureLine,
  logRecord,
  newFailure,
} from "#domain/invocation.ts";
import { afterRunOrParking } from "#domain/parked-events.ts";
import type { Tick } from "#domain/schedule.ts";
import type { Alerts } from "#durable-objects/emitter/alerts.ts";
import {
  type EventHistory,
  inTransaction,
  type NewEvent,
} from "#durable-objects/emitter/history.ts";
import type { Arrival, InboxDedupe } from "#durable-objects/emitter/inbox-dedupe.ts";
import type { Publisher } from "#durable-objects/emitter/publisher.ts";
import type { Streams } from "#durable-objects/emitter/streams.ts";
import { type Alarm, earliest } from "#durable-objects/shared/alarm.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import type { Timers } from "#durable-objects/shared/timers.ts";
import { failedOutcome } from "#sandbox/outcome.ts";
import type { Outcome } from "#sandbox/user-code.ts";

import type { Deployment } from "./contract.ts";
import type { DedupeMemory } from "./dedupe-memory.ts";
import type { Deployments } from "./deployments.ts";
import { limitEmissions } from "./emission-limits.ts";
import type { Inbox } from "./inbox.ts";
import { emittedEvent, errorEvent, systemEvent } from "./run-events.ts";
import { type Committed, runNote } from "./run-note.ts";
import type { ServiceDbStore } from "./service-db.ts";
import type { ShardAlerts } from "./shard-alerts.ts";
import type { Usage } from "./usage.ts";

/** A run: its deployment, its event (JSON text; null for a hook) and its place in the inbox. */
export type Run = {
  runId: string;
  deployment: Deployment;
  event: string | null;
  inboxSeq: number | null;
  /** The number of emitters that the event has passed. */
  hops: number;
  /** The maximum number of runs, its own and all that it causes; absent: the maximum of a trigger. */
  budget?: number | undefined;
  /** The delivery that this run consumes, if it was not recorded before. */
  arrival?: Arrival | undefined;
  /** The tick that this run consumes, if its timer was not advanced before. */
  tick?: Pick<Tick, "prop" | "dueMs"> | undefined;
  /** Duration of the code. Only for invocations, which hooks and notes are not. */
  computeMs?: number;
  /** The id of the first request or tick, to trace it in the log. */
  requestId?: string | undefined;
  /** Its start and its trigger. Only for invocations. */
  begun?: { trigger: string; sinceMs: number } | undefined;
};

/** The run of a hook, or of an error outside of runs. */
export function runOf(deployment: Deployment, requestId?: string): Run {
  const runId = crypto.randomUUID();
  return { runId, deployment, event: null, inboxSeq: null, hops: 0, requestId };
}

/** The failure of a run whose writes exceed the db's limit, together with concurrent ones. */
const DB_FULL = newFailure(
  "RangeError",
  "The run's writes to $.service.db were discarded: the db of a source may have at most 8 MB",
);

type Deps = {
  storage: DurableObjectStorage;
  deployments: Deployments;
  history: EventHistory;
  inbox: Inbox;
  inboxDedupe: InboxDedupe;
  dedupeMemory: DedupeMemory;
  serviceDb: ServiceDbStore;
  alerts: Alerts;
  shardAlerts: ShardAlerts;
  publisher: Publisher;
  streams: Streams;
  timers: Timers;
  alarm: Alarm;
  usage: Usage;
  meter: Meter;
};

/** Stores outcomes: one transaction each, with everything of a run or nothing. */
export class RunCommitter {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Commit the outcome of a run or a hook: db writes, admitted events, logs, its error, its place in the inbox. Returns
   * the admitted events, and the reasons why others were refused, if any were.
   */
  commit(run: Run, outcome: Outcome): Committed {
    const { publisher, alarm, meter, alerts, shardAlerts, history, streams } = this.#deps;
    const { positions, ...committed } = this.inTransaction(() => this.#write(run, outcome));
    if (run.begun && streams.hasReaders())
      streams.publish([runNote(run, outcome, { ...committed, position: history.newest() })]);
    // First, so that the alarm is not set for usage that is reported at once.
    const dueMs = earliest(
      run.computeMs === undefined ? undefined : meter.count(usageOf(run.computeMs, Date.now())),
      alerts.nextDueMs(),
      shardAlerts.dueMs(),
    );
    publisher.publish(positions);
    if (dueMs !== undefined) alarm.arm(dueMs);
    return committed;
  }

  #write(run: Run, outcome: Outcome): Committed & { positions: Position[] } {
    const { serviceDb } = this.#deps;
    const nowMs = Date.now();
    const hasRoom = serviceDb.fits(outcome.db);
    if (hasRoom) serviceDb.write(outcome.db);
    this.#settleTrigger(run, nowMs);
    const { events, duplicates, refusals } = this.#admit(run, outcome.emitted, nowMs);
    const budget = leftFor(run.budget, outcome.spent);
    const cut = unsent(budget, events.length);
    const full = hasRoom ? [] : [DB_FULL];
    const thrown = [...thrownIn(outcome), ...(cut ? [cut] : []), ...full];
    const lines = [...outcome.logs, ...thrown.map((one) => failureLine(one, nowMs))];
    for (const { delayed } of events) if (delayed) this.#deps.alarm.arm(delayed.dueMs);
    const logs = lines.map((line) =>
      systemEvent(LOG_CHANNEL, JSON.stringify(logRecord(line, run.runId)), run),
    );
    const errors = [...refusals, ...thrown].map((one) => errorEvent(one, run, nowMs));
    const written = [
      ...withBudgets(budget, { events, logs, errors }),
      ...this.#alertsAfter(run, [outcome.failure, ...full], nowMs),
    ];
    const metered = { ...run, isFailed: errors.length > 0 };
    return { positions: this.#append(written, nowMs, metered), events, duplicates, refusals };
  }

  /** Record that the trigger of a run is consumed: its event in the inbox, its delivery, or its tick. */
  #settleTrigger({ inboxSeq, arrival, tick }: Run, nowMs: number): void {
    const { inbox, inboxDedupe, timers } = this.#deps;
    if (inboxSeq !== null) inbox.remove(inboxSeq);
    if (arrival) inboxDedupe.record(arrival);
    if (tick) timers.advance(tick, nowMs);
  }

  /** Hooks and notes are no runs, and neither fail nor recover a source; but a note may report a parked event. */
  #alertsAfter(run: Run, failures: (Failure | undefined)[], nowMs: number): NewEvent[] {
    const failure = failures.find(Boolean);
    const isRun = run.computeMs !== undefined;
    const { alerts, shardAlerts } = this.#deps;
    if (shardAlerts.areShared()) {
      shardAlerts.record(failure, { isRun, nowMs });
      return [];
    }
    shardAlerts.forget();
    const decide = (state: AlertState) => afterRunOrParking(state, failure, { isRun, nowMs });
    return alerts.change(subjectOf(run.deployment), decide, run);
  }

  /** Apply a change of the source's alerts, within a transaction of the caller's or by itself. */
  alert(decide: (state: AlertState) => AlertChange | undefined): Position[] {
    const { deployments, alerts, history } = this.#deps;
    const deployment = deployments.current();
    if (!deployment) return [];
    return this.inTransaction(() =>
      history.append(alerts.change(subjectOf(deployment), decide), Date.now()),
    );
  }

  /** A run is counted with its first event, which is written anyway, or else by itself. */
  #append(
    events: readonly NewEvent[],
    nowMs: number,
    { computeMs, isFailed }: Pick<Run, "computeMs"> & { isFailed: boolean },
  ): Position[] {
    const { usage, history } = this.#deps;
    const [first, ...others] = events;
    if (computeMs === undefined) return history.append(events, nowMs);
    if (first)
      return history.append(
        [{ ...first, runMs: computeMs, isRunFailed: isFailed }, ...others],
        nowMs,
      );
    usage.addRun(computeMs, nowMs);
    return [];
  }

  /** Send a stored event again. Returns the position of the new one; undefined: readers see no such event. */
  replay(id: string, requestId?: string): Position | undefined {
    const { history, publisher } = this.#deps;
    const position = this.inTransaction(() => history.replay(id, Date.now(), requestId));
    if (position !== undefined) publisher.publish([position]);
    return position;
  }

  /** Record an error outside of a run's code. */
  recordFailure(run: Run, failure: Failure): void {
    this.commit(run, failedOutcome(failure));
  }

  /** Move due delayed events to their channels. */
  promoteDue(): void {
    const { history, publisher } = this.#deps;
    publisher.publish(this.inTransaction(() => history.promote(Date.now())));
  }

  /** Do all of `write` or nothing. If it throws, its cached writes are dropped too. */
  inTransaction<T>(write: () => T): T {
    try {
      return inTransaction(this.#deps, write);
    } catch (error) {
      this.#deps.dedupeMemory.reset();
      this.#deps.alerts.reset();
      this.#deps.shardAlerts.reset();
      throw error;
    }
  }

  #admit(
    run: Run,
    emitted: readonly Emission[],
    nowMs: number,
  ): Committed & { events: NewEvent[] } {
    // Before dedupe, which would drop a refused event as a duplicate once there is room for it.
    const { emissions: ordered, failures: refused } = limitEmissions(
      emitted,
      this.#deps.history,
      nowMs,
    );
    const { dedupe: strategy } = run.deployment;
    if (!strategy) {
      const events = ordered.map((one) => emittedEvent(one, run, nowMs));
      return { events, duplicates: 0, refusals: refused };
    }
    const { dedupeMemory } = this.#deps;
    const { admitted, rejected, memory } = admit(strategy, dedupeMemory.of(strategy), ordered);
    if (admitted.length > 0) dedupeMemory.remember(strategy, memory);
    const events = admitted.map((one) => emittedEvent(one, run, nowMs));
    const reasons = new Set(rejected.map(({ reason }) => reason));
    const failures = [...reasons].map((message) => newFailure("DedupeError", message));
    const duplicates = ordered.length - admitted.length - rejected.length;
    return { events, duplicates, refusals: [...refused, ...failures] };
  }
}

/** All emissions of a run, each with its share of the remaining budget of runs. */
function withBudgets(
  budget: number,
  { events, logs, errors }: Record<"events" | "logs" | "errors", NewEvent[]>,
): NewEvent[] {
  const counts = { emits: events.length, errors: errors.length, lines: logs.length };
  const budgets = divide(budget, counts);
  return [
    ...share(events, budgets.emits),
    ...share(logs, budgets.lines),
    ...share(errors, budgets.errors),
  ];
}

function share(events: readonly NewEvent[], budget: number): NewEvent[] {
  return events.map((event, index) => ({
    ...event,
    budget: shareOf(budget, events.length, index),
  }));
}

function thrownIn({ failure, uncaught = [] }: Outcome): Failure[] {
  return failure ? [...uncaught, failure] : uncaught;
}

function subjectOf({ sourceId: id, name }: Deployment): Subject {
  return { type: "source", id, name: name ?? null };
}
