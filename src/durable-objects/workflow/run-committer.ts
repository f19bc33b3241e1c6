import { type AlertChange, type AlertState, afterRun } from "#domain/alerts.ts";
import { usageOf } from "#domain/billing.ts";
import { chainEnd, forError, isChainOver } from "#domain/chains.ts";
import { ERROR_CHANNEL, LOG_CHANNEL } from "#domain/channels.ts";
import { errorText } from "#domain/error-text.ts";
import { cutFailure, type Failure, logRecord, newFailure } from "#domain/invocation.ts";
import { workflowErrorRecord } from "#domain/workflows.ts";
import type { Alerts } from "#durable-objects/emitter/alerts.ts";
import {
  type EventHistory,
  inTransaction,
  type NewEvent,
} from "#durable-objects/emitter/history.ts";
import type { InboxDedupe, Arrival } from "#durable-objects/emitter/inbox-dedupe.ts";
import type { Publisher } from "#durable-objects/emitter/publisher.ts";
import type { Streams } from "#durable-objects/emitter/streams.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";

import type {
  KeptResumption,
  NewRun,
  RunEnd,
  Sent,
  StepMessages,
  StepReport,
  WorkflowDeployment,
} from "./contract.ts";
import type { Deployments } from "./deployments.ts";
import type { EndedInstances } from "./ended-instances.ts";
import type { MessageSender } from "./message-sender.ts";
import { type Messages, NO_ROOM, type PendingMessage } from "./messages.ts";
import type { PendingResponses } from "./responses.ts";
import { contextOf, eventOf, passing, subjectOf } from "./run-events.ts";
import type { RunRow } from "./run-rows.ts";
import type { Runs } from "./runs.ts";
import type { Starter } from "./starter.ts";
import type { StepDb } from "./step-db.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Usage } from "./usage.ts";

/** The values that a step set are stored all, or not at all. */
const DB_FULL = newFailure(
  "RangeError",
  "The step's writes to $.service.db were discarded: its db may have at most 8 MB",
);

type Deps = {
  storage: DurableObjectStorage;
  deployments: Deployments;
  runs: Runs;
  messages: Messages;
  sender: MessageSender;
  stepDb: StepDb;
  alerts: Alerts;
  ended: EndedInstances;
  history: EventHistory;
  inboxDedupe: InboxDedupe;
  streams: Streams;
  publisher: Publisher;
  responses: PendingResponses;
  starter: Starter;
  alarm: Alarm;
  usage: Usage;
  meter: Meter;
  telemetry: Telemetry;
};

/** Records the progress of a workflow's runs: one transaction for each change. */
export class RunCommitter {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Accept events, each as a run; a duplicate changes nothing. */
  begin(events: readonly (NewRun & { arrival?: Arrival })[]): void {
    const { deployments, starter } = this.#deps;
    const deployment = deployments.current();
    if (!deployment || events.length === 0) return;
    let begun: string[] = [];
    this.#emit(() => {
      begun = [];
      const room = starter.room();
      return events.flatMap((event) => this.#take(event, { deployment, begun, room }));
    });
    this.#arm();
    void starter.start(begun);
  }

  /** A run that begins at once is written once: to queue it first would write another row. */
  #take(
    { arrival, ...event }: NewRun & { arrival?: Arrival },
    { deployment, begun, room }: { deployment: WorkflowDeployment; begun: string[]; room: number },
  ): NewEvent[] {
    const { inboxDedupe, runs } = this.#deps;
    if (arrival) inboxDedupe.record(arrival);
    const isOver = isChainOver(event);
    const state = isOver || begun.length >= room ? "queued" : "running";
    if (!runs.insert(event, deployment, state)) return [];
    if (state === "running") begun.push(event.id);
    if (!isOver) return [];
    const run = runs.byId(event.id);
    if (!run) return [];
    return this.#end(run, { state: "failed", failure: chainEnd(event), step: null });
  }

  /**
   * Record an execution of a step with all its events. A repetition changes nothing. `withMessages`: store and send its
   * messages; else its run sends them, and ends after them.
   */
  record(run: RunRow, report: StepReport, withMessages: boolean): void {
    const { runs, stepDb, responses, history } = this.#deps;
    if (run.ended_ms !== null || runs.outcomeOf(run, report.number) !== undefined) return;
    const { name: step, number, response } = report;
    const { messages, end } = partsOf(report, withMessages);
    let checkMs: number | undefined;
    this.#emit(() => {
      runs.record(run, withMessages ? withoutMessages(report) : report);
      checkMs = end ? undefined : runs.goOn(run, report);
      const unkept = stepDb.write(step, report.db) ? [] : [DB_FULL];
      const unsent = this.#addMessages(run, { number, step, messages });
      const { admitted, failures } = history.channels.admit(report.emits, ({ channel }) => channel);
      const events = [
        ...admitted.map((sent) => eventOf(sent, run)),
        ...[...report.uncaught, ...unkept, ...unsent, ...failures].map((one) =>
          this.#errorEvent(run, one, step),
        ),
      ];
      return [...events, ...(end ? this.#end(run, end, report) : [])];
    });
    this.#stream(report.streamed);
    if (response) responses.offer(run.id, response);
    if (checkMs !== undefined) this.#deps.alarm.arm(checkMs);
    if (messages.length > 0) this.#sendMessages();
    this.#goOn(run, end ? "ended" : report.wakeMs === null ? "running" : "waiting");
  }

  /** End a run. */
  end(run: RunRow, end: RunEnd): void {
    if (run.ended_ms !== null) return;
    this.#emit(() => this.#end(run, end));
    this.#goOn(run, "ended");
  }

  /** Resume a run after its pause; `resumption`: the request that its next steps see. */
  wake(run: RunRow, resumption: KeptResumption | undefined): void {
    const { runs, alarm } = this.#deps;
    if (run.ended_ms === null && resumption) runs.resumptions.keep(run, resumption);
    alarm.arm(runs.wake(run));
  }

  /** Record a failure around a run that does not end it. */
  recordFailure(run: RunRow, failure: Failure, step: string): void {
    this.#emit(() => [this.#errorEvent(run, failure, step)]);
  }

  /** Send messages of an execution that were not stored with it. */
  send(run: RunRow, left: StepMessages): void {
    const events = (): NewEvent[] =>
      this.#addMessages(run, left).map((one) => this.#errorEvent(run, one, left.step));
    this.#emit(events);
    this.#sendMessages();
  }

  /** Record that a message will not arrive. Its run is not changed by it. */
  failMessage(message: PendingMessage, error: string): void {
    const { messages, runs } = this.#deps;
    const failure = cutFailure(newFailure("SendError", error));
    this.#emit(() => {
      messages.settle(message, failure.message);
      const run = runs.bySeq(message.run_seq);
      return run ? [this.#errorEvent(run, failure, message.step)] : [];
    });
  }

  /** Store messages. Returns the failure of those without room. */
  #addMessages(run: RunRow, { number, step, messages }: StepMessages): Failure[] {
    const { seq, hops } = run;
    const dropped = this.#deps.messages.add({ seq, number, step, hops }, messages, Date.now());
    if (dropped === 0) return [];
    return [newFailure("SendError", `${dropped} messages were not sent: ${NO_ROOM}`)];
  }

  #sendMessages(): void {
    const { alarm, sender } = this.#deps;
    alarm.arm(sender.checkMs());
    sender.pump();
  }

  /** Write a line about the workflow to `$logs`. */
  log(level: string, message: string): void {
    const record = logRecord({ level, message, atMs: Date.now() }, "");
    const sent = { channel: LOG_CHANNEL, payload: JSON.stringify(record) };
    this.#emit(() => [eventOf(sent, { hops: 0 })]);
  }

  #end(run: RunRow, end: RunEnd, last?: StepReport): NewEvent[] {
    const { runs, ended, alarm, usage, meter, telemetry, deployments } = this.#deps;
    const computeMs = runs.computeMs(run);
    // A run counts when it ends, by the duration of its steps; one that never began does not.
    const counted = run.started_ms === null ? null : computeMs;
    runs.end(run, { ...end, endedMs: usage.endedMs(Date.now()), computeMs: counted, last });
    if (counted !== null) {
      const countedMs = meter.count(usageOf(counted, Date.now()));
      alarm.arm(Math.min(ended.dueMs(Date.now()), countedMs));
    }
    const deployment = deployments.byId(run.deployment_id);
    if (deployment) telemetry.ended(deployment, run, { ...end, computeMs });
    const errors = end.failure ? [this.#errorEvent(run, end.failure, end.step)] : [];
    return [...errors, ...this.#alertsAfter(run, end)];
  }

  /** A cancelled run does not count for the workflow's alerts. */
  #alertsAfter(run: RunRow, { state, failure }: RunEnd): NewEvent[] {
    const { alerts, deployments } = this.#deps;
    const current = deployments.current();
    if (!current || state === "cancelled" || run.started_ms === null) return [];
    const failed =
      state === "failed" ? (failure ?? newFailure("Error", "A run failed")) : undefined;
    const cause = {
      hops: run.hops,
      budget: run.budget ?? undefined,
      requestId: run.request_id ?? undefined,
    };
    return alerts.change(
      subjectOf(current),
      (known: AlertState) => afterRun(known, failed, Date.now()),
      cause,
    );
  }

  /** Apply a change of the workflow's alerts. */
  alert(decide: (state: AlertState) => AlertChange | undefined): void {
    const { alerts, deployments } = this.#deps;
    const current = deployments.current();
    if (current) this.#emit(() => alerts.change(subjectOf(current), decide));
  }

  /** Commit all of `write` or nothing, with the events that it returns, and publish those. */
  #emit(write: () => NewEvent[]): void {
    const { history, publisher, alerts } = this.#deps;
    try {
      publisher.publish(inTransaction(this.#deps, () => history.append(write(), Date.now())));
    } catch (error) {
      alerts.reset();
      throw error;
    }
  }

  /** The actions after the commit: the caller's response if the run rests, the next run if there is room. */
  #goOn(run: RunRow, state: "running" | "waiting" | "ended"): void {
    const { responses, starter } = this.#deps;
    if (state === "waiting") responses.settle(run.id);
    if (state === "ended") responses.end(run.id);
    if (state !== "running") void starter.pump();
    this.#arm();
  }

  #arm(): void {
    const { alarm, alerts } = this.#deps;
    const dueMs = alerts.nextDueMs();
    if (dueMs !== undefined) alarm.arm(dueMs);
  }

  #stream(streamed: readonly Sent[]): void {
    const { streams } = this.#deps;
    if (streams.hasReaders()) streams.publish(streamed.map(passing));
  }

  #errorEvent(run: RunRow, failure: Failure, step: string | null): NewEvent {
    const deployment = this.#deps.deployments.byId(run.deployment_id);
    if (!deployment) throw new Error(`The deployment ${run.deployment_id} is missing`);
    const record = workflowErrorRecord({ ...failure, step }, contextOf(run, deployment), {
      event: run.event,
      cellId: `c_${deployment.id.slice("d_".length)}`,
      nowMs: Date.now(),
    });
    const budget = forError(run.budget ?? undefined);
    return eventOf({ channel: ERROR_CHANNEL, payload: errorText(record), budget }, run);
  }
}

/** The messages to store with an execution, and the end of its run, if it ends with them. */
function partsOf({ name: step, verdict }: StepReport, withMessages: boolean) {
  const { failure, ends: state, parcels } = verdict;
  const messages = withMessages ? parcels : [];
  const isEnd = state !== null && messages.length === parcels.length;
  return { messages, end: isEnd ? { state, failure, step } : undefined };
}

function withoutMessages(report: StepReport): StepReport {
  return { ...report, verdict: { ...report.verdict, parcels: [] } };
}
