import type { Position } from "#domain/event-ids.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import { RUN_ABANDONED } from "#domain/parked-events.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";
import type { InboxDedupe } from "#durable-objects/emitter/inbox-dedupe.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import type { Timers } from "#durable-objects/shared/timers.ts";
import type { CustomResponse } from "#http/custom-response.ts";
import { failedOutcome } from "#sandbox/outcome.ts";
import type { Outcome } from "#sandbox/user-code.ts";
import { log } from "#telemetry/log.ts";
import { during, mayBegin } from "#telemetry/under-way.ts";

import type { Deployment } from "./contract.ts";
import { crashedAttempt, logDeath, mayStart, parkedMessage, type Starts } from "./crashes.ts";
import type { Deployments } from "./deployments.ts";
import { type Inbox, RECOVERY_DELAY_MS } from "./inbox.ts";
import type { Job } from "./queue.ts";
import type { RunCommitter, Run } from "./run-committer.ts";
import { hasDb, type RunInvoker, type RunTask, type TaskEnd } from "./run-invoker.ts";
import type { Telemetry } from "./telemetry.ts";
import { WaitingLine } from "./waiting-line.ts";

/** Maximum concurrent runs of a source without `$.service.db`. */
const MAX_CONCURRENT_RUNS = 64;

/** Delay before an event is retried after a crash of its isolate. */
const RETRY_DELAY_MS = 1000;

/** Time for which events gather into one call while another call is under way. */
const GATHER_MS = 2;

/** The end of a run, once it is committed. */
export type RunEnd = {
  response?: CustomResponse;
  failure?: Failure;
  /** Its events in the history: all after the first of the two positions, up to the second. */
  left?: [Position, Position];
};

type Waiting = { job: Job; sinceMs: number; settle: (end: RunEnd) => void };

/** A job with a run that has begun. */
type Begun = Waiting & { runId: string; event: string };

/** A begun job as a task of the invoker. */
type Task = RunTask & { one: Begun };

type Deps = {
  storage: DurableObjectStorage;
  deployments: Deployments;
  invoker: RunInvoker;
  committer: RunCommitter;
  history: EventHistory;
  inbox: Inbox;
  inboxDedupe: InboxDedupe;
  timers: Timers;
  alarm: Alarm;
  meter: Meter;
  telemetry: Telemetry;
  /** Whether hooks run right now. */
  isChanging: () => boolean;
};

/**
 * Runs events in order of arrival: one at a time for a source that keeps state, else side by side. Waiting events are
 * sent to the isolate in groups: one call for many events, one outcome for each event.
 */
export class Runner {
  readonly #deps: Deps;
  readonly #waiting = new WaitingLine<Waiting>();
  // The alarm starts them.
  readonly #deferred = new WaitingLine<Waiting>();
  #running = 0;
  #groups = 0;
  #gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether the queue is full. */
  isFull(): boolean {
    return this.#waiting.isFull() || this.#deferred.isFull();
  }

  /** The number of events that run or wait for their run. */
  load(): number {
    return this.#waiting.length + this.#deferred.length + this.#running;
  }

  /** Start deferred runs, and resume queued runs after quotas reset or increase. */
  resume(): void {
    while (this.#deferred.length > 0)
      for (const one of this.#deferred.take(Infinity)) this.#waiting.push(one);
    this.#pump();
  }

  /** Store an event and let the alarm start its run, outside of any request. */
  defer(job: Job): void {
    this.keep(job);
    this.#deferred.push({ job, sinceMs: Date.now(), settle: () => {} });
    this.#deps.alarm.arm(Date.now());
  }

  /** Queue an event. Resolves when the outcome is committed; never rejects. */
  submit(job: Job): Promise<RunEnd> {
    return new Promise((settle) => {
      this.#waiting.push({ job, sinceMs: Date.now(), settle });
      if (this.#groups === 0) this.#pump();
      else this.#gathering ??= setTimeout(() => this.#pump(), GATHER_MS);
    });
  }

  /** Store an event unless its run has ended: it takes longer than its caller should wait, or was not committed. */
  keep(job: Job): void {
    if (job.hasEnded || job.seq !== null || job.event === null) return;
    const { storage, inbox, inboxDedupe, timers, alarm } = this.#deps;
    const { event, hops, budget, arrival, tick, runId, requestId } = job;
    const kept = { hops, budget, runId, requestId, ...(tick && { timer: tick.prop }) };
    storage.transactionSync(() => {
      job.seq = inbox.put(event, { ...kept, attempts: job.hasBegun ? 1 : 0 });
      if (arrival) inboxDedupe.record(arrival);
      if (tick) timers.advance(tick, Date.now());
    });
    // The inbox has it now: a long queue need not keep it in memory.
    if (!job.hasBegun) job.event = null;
    alarm.arm(Date.now() + RECOVERY_DELAY_MS);
  }

  /** Start as many runs as there is room for, by quotas of now: runs may have waited for long. */
  #pump(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#waiting.length > 0) this.#deps.meter.whenFresh(() => this.#start());
  }

  #start(): void {
    for (;;) {
      const group = this.#waiting.take(this.#room());
      if (group.length === 0) return;
      this.#running += group.length;
      this.#groups += 1;
      void during("runs", () => this.#runGroup(group)).finally(() => {
        this.#groups -= 1;
        this.#pump();
      });
    }
  }

  /** The number of runs that may start now: within the owner's quotas, and if listeners keep up with their events. */
  #room(): number {
    if (!mayBegin() || this.#deps.history.backlog.isFull()) return 0;
    return Math.min(this.#places(), this.#deps.meter.runsLeft() - this.#running);
  }

  #places(): number {
    const deployment = this.#deps.deployments.current();
    if (!deployment || !hasDb(deployment)) return MAX_CONCURRENT_RUNS - this.#running;
    if (this.#running > 0) return 0;
    // A group in order shares one copy of `db`, which must not miss a hook's writes meanwhile; and it runs to its end,
    // whichever of its runs uses up a quota.
    return this.#deps.isChanging() || this.#deps.meter.limitsDuration() ? 1 : MAX_CONCURRENT_RUNS;
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    const deployment = this.#deps.deployments.current();
    const begun = group.flatMap((waiting) => this.#begin(waiting, deployment));
    if (!deployment || begun.length === 0) return;
    for await (const { task, computeMs, ...end } of this.#run(deployment, begun)) {
      const { one } = task;
      if (end.kind === "returned") this.#commit(one, deployment, { ...end.outcome, computeMs });
      else {
        logDeath(end.error, whose(deployment, one));
        one.job.lostMs += computeMs;
        void this.#died(one, deployment, end.error);
      }
    }
  }

  /** Start a job: read its event and count the attempt. Empty if there is nothing to run any more. */
  #begin(waiting: Waiting, deployment: Deployment | undefined): Begun[] {
    const { job } = waiting;
    const event = deployment && this.#eventOf(job);
    const runId = (job.runId ??= crypto.randomUUID());
    const one = { ...waiting, runId, event: event ?? "" };
    if (event === undefined) {
      this.#end(one, {});
      return [];
    }
    job.hasBegun = true;
    if (mayStart(this.#startsOf(job))) return [one];
    if (deployment) this.#park(one, deployment);
    return [];
  }

  #eventOf(job: Job): string | undefined {
    if (job.seq === null) return job.event ?? undefined;
    const entry = this.#deps.inbox.entry(job.seq);
    if (!entry) return undefined;
    this.#deps.inbox.begin(job.seq);
    job.hops = entry.hops;
    job.budget = entry.budget ?? undefined;
    if (entry.run_id !== null) job.runId = entry.run_id;
    if (entry.request_id !== null) job.requestId = entry.request_id;
    return entry.event;
  }

  /** The end of each task, as soon as it is known. */
  async *#run(
    deployment: Deployment,
    begun: readonly Begun[],
  ): AsyncGenerator<TaskEnd<Task>, void> {
    const tasks = begun.map(taskOf);
    if (deployment.runs) yield* this.#deps.invoker.runAll(deployment, tasks);
    else for (const task of tasks) yield emitted(task);
  }

  #commit(
    one: Begun,
    deployment: Deployment,
    { computeMs, ...outcome }: Outcome & { computeMs: number },
  ): void {
    const { response, failure } = outcome;
    const { deployments, committer, history, telemetry } = this.#deps;
    try {
      const end = { ...(response && { response }), ...(failure && { failure }) };
      if (!deployments.current()) return this.#end(one, end);
      const before = history.newest();
      const run = runOf(one, deployment, computeMs);
      const { events, refusals } = committer.commit(run, outcome);
      const [refusal] = refusals;
      const reported = { ...outcome, ...(refusal && !failure && { failure: refusal }) };
      telemetry.ended(run, one, reported, events);
      this.#end(one, { ...end, left: [before, history.newest()] });
    } catch (error) {
      // Acknowledged events are still in the inbox.
      log("run_uncommitted", { ...whose(deployment, one), error });
      const message = "The run could not be committed";
      this.#settle(one, { failure: newFailure("Error", message) });
    }
  }

  /** Handle a crash of the isolate: store the event and retry it alone, up to the maximum attempts. */
  async #died(one: Begun, deployment: Deployment, error: unknown): Promise<void> {
    const { job, sinceMs, settle, event } = one;
    if (!this.#deps.deployments.current()) return this.#end(one, {});
    job.event ??= event;
    job.isSuspect = true;
    this.keep(job);
    if (!mayStart(this.#startsOf(job), 1)) return this.#park(one, deployment, error);
    this.#noteRetry(one, deployment, error);
    await scheduler.wait(RETRY_DELAY_MS);
    this.#running -= 1;
    this.#waiting.putBack({ job, sinceMs, settle });
    this.#pump();
  }

  #noteRetry({ runId, job }: Begun, deployment: Deployment, error: unknown): void {
    const { hops, budget, requestId } = job;
    const run = { runId, deployment, event: null, inboxSeq: null, hops, budget, requestId };
    this.#deps.committer.commit(run, crashedAttempt(error, this.#startsOf(job)));
  }

  #startsOf({ seq }: Job): Starts {
    const entry = seq === null ? undefined : this.#deps.inbox.entry(seq);
    return entry ?? { attempts: 1, interrupted: 0 };
  }

  #park(one: Begun, deployment: Deployment, error?: unknown): void {
    const message = parkedMessage(error, deployment.sourceId, this.#startsOf(one.job));
    const outcome = failedOutcome(newFailure(RUN_ABANDONED, message));
    this.#commit(one, deployment, { ...outcome, computeMs: 0 });
  }

  #end(one: Waiting, end: RunEnd): void {
    one.job.hasEnded = true;
    this.#settle(one, end);
  }

  #settle({ job: { arrival }, settle }: Waiting, end: RunEnd): void {
    this.#running -= 1;
    if (arrival) this.#deps.inboxDedupe.release(arrival);
    settle(end);
  }
}

/** An event counts as one invocation, however many attempts it took; crashed attempts took time too. */
function runOf(
  { runId, event, job, sinceMs }: Begun,
  deployment: Deployment,
  computeMs: number,
): Run {
  const { seq: inboxSeq, hops, budget, arrival, tick, lostMs, requestId, trigger } = job;
  const used = { computeMs: computeMs + lostMs, requestId, begun: { trigger, sinceMs } };
  return { runId, deployment, event, inboxSeq, hops, budget, arrival, tick, ...used };
}

/** The ids of a run in a log line. */
function whose({ sourceId, ownerId }: Deployment, { runId, job: { requestId } }: Begun) {
  return { request_id: requestId, run_id: runId, source_id: sourceId, owner_id: ownerId };
}

function taskOf(one: Begun): Task {
  const { runId, event, job } = one;
  const { hops, budget, depth, host } = job;
  return { one, runId, event, hops, budget, depth, host };
}

/** A component without `run` emits the event of its trigger (a timer's tick) unchanged. */
function emitted(task: Task): TaskEnd<Task> {
  const nowMs = Date.now();
  const emission = { payload: task.event, emittedAtMs: nowMs, id: String(nowMs), ts: nowMs };
  const outcome = { emitted: [emission], db: {}, logs: [] };
  return { kind: "returned", task, outcome, computeMs: 0 };
}
