import type { Failure } from "../domain/invocation.ts";
import type { CustomResponse, Host, Outcome } from "../sandbox/user-code.ts";
import type { Alarm } from "./alarm.ts";
import type { Deployment } from "./contract.ts";
import type { Deployments } from "./deployments.ts";
import { type Inbox, RECOVERY_DELAY_MS } from "./inbox.ts";
import { hasDb, type Invoker } from "./invoker.ts";
import type { Ledger, Run } from "./ledger.ts";

/** A run may take this long (design: Deadlines). */
const RUN_DEADLINE_MS = 300_000;

/** How many runs of a source without `$.service.db` are under way at once. */
const MOST_CONCURRENT_RUNS = 32;

/** How often the run of one event may kill its isolate or process before the event is parked as an error. */
const MOST_ATTEMPTS = 3;

/** How long to wait before an event is tried again whose isolate died. */
const RETRY_DELAY_MS = 1000;

/** How many events may wait in memory for their run, before new ones are turned away. */
export const MOST_WAITING = 5000;

/** An event on its way to its run. While `seq` is null it lives in memory only and is not acknowledged. */
export type Job = { event: string | null; seq: number | null; hasBegun: boolean; host?: Host };

/** How a run ended, once that is committed. */
export type RunEnd = { response?: CustomResponse; failure?: Failure };

type Waiting = { job: Job; settle: (end: RunEnd) => void };

type Parts = {
  deployments: Deployments;
  invoker: Invoker;
  ledger: Ledger;
  inbox: Inbox;
  alarm: Alarm;
};

/** Runs events in order of arrival: one at a time for a source that keeps state, else side by side. */
export class Runner {
  readonly #parts: Parts;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether no more events can be taken in for now. */
  isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING;
  }

  /** Run an event when its turn comes. Resolves when the outcome is committed; never rejects. */
  submit(job: Job): Promise<RunEnd> {
    return new Promise((settle) => {
      this.#waiting.push({ job, settle });
      this.#pump();
    });
  }

  /** Make an event durable whose run takes longer than its caller should wait. */
  keep(job: Job): void {
    if (job.seq !== null || job.event === null) return;
    job.seq = this.#parts.inbox.put(job.event, { attempts: job.hasBegun ? 1 : 0 });
    // From here on the inbox holds it: a long queue need not hold it twice.
    if (!job.hasBegun) job.event = null;
    this.#parts.alarm.arm(Date.now() + RECOVERY_DELAY_MS);
  }

  #pump(): void {
    while (this.#running < this.#width()) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running += 1;
      void this.#run(next).finally(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
  }

  #width(): number {
    const deployment = this.#parts.deployments.current();
    return deployment && hasDb(deployment) ? 1 : MOST_CONCURRENT_RUNS;
  }

  async #run(waiting: Waiting): Promise<void> {
    const { job, settle } = waiting;
    try {
      const deployment = this.#parts.deployments.current();
      const event = deployment && this.#begin(job);
      if (!deployment || event === undefined) return settle({});
      settle(await this.#attempt(job, event, deployment));
    } catch (error) {
      // The source was removed under the run, or storage failed: what was acknowledged is still in the inbox.
      console.error("A run could not be committed", error);
      settle({ failure: { name: "Error", message: "The run could not be committed", stack: "" } });
    }
  }

  /** Take up a job: its event, with the attempt counted; undefined when there is nothing left to run. */
  #begin(job: Job): string | undefined {
    if (job.seq === null) {
      job.hasBegun = true;
      return job.event ?? undefined;
    }
    const entry = this.#parts.inbox.entry(job.seq);
    if (!entry) return undefined;
    this.#parts.inbox.begin(job.seq);
    job.hasBegun = true;
    return entry.event;
  }

  async #attempt(job: Job, event: string, deployment: Deployment): Promise<RunEnd> {
    const runId = crypto.randomUUID();
    const run = (): Run => ({ runId, deployment, event, inboxSeq: job.seq });
    if (this.#attemptsOf(job) > MOST_ATTEMPTS) return this.#park(run());
    let outcome: Outcome;
    try {
      outcome = await this.#outcome(deployment, runId, event, job.host);
    } catch (error) {
      return this.#died(job, event, run(), error);
    }
    if (this.#parts.deployments.current() === undefined) return {};
    this.#parts.ledger.commit(run(), outcome);
    const { response, failure } = outcome;
    return { ...(response && { response }), ...(failure && { failure }) };
  }

  async #outcome(
    deployment: Deployment,
    runId: string,
    event: string,
    host: Host | undefined,
  ): Promise<Outcome> {
    // A component without `run` emits what wakes it (a timer's event), as it is.
    if (!deployment.runs) return { emitted: [emissionOf(event)], db: {}, logs: [] };
    const task = { kind: "run", event, deadlineMs: RUN_DEADLINE_MS } as const;
    return this.#parts.invoker.invoke(deployment, runId, task, host);
  }

  #attemptsOf({ seq }: Job): number {
    return seq === null ? 1 : (this.#parts.inbox.entry(seq)?.attempts ?? 1);
  }

  #park(run: Run): RunEnd {
    const failure = {
      name: "RunAbandoned",
      message: `The event was given up: its run killed its isolate or the process ${MOST_ATTEMPTS} times`,
      stack: "",
    };
    this.#parts.ledger.recordFailure(run, failure);
    return { failure };
  }

  /** The isolate died. Its event is kept and tried again, until that has happened too often. */
  async #died(job: Job, event: string, run: Run, error: unknown): Promise<RunEnd> {
    console.warn("An isolate died during a run", error);
    if (this.#parts.deployments.current() === undefined) return {};
    job.event ??= event;
    this.keep(job);
    if (this.#attemptsOf(job) >= MOST_ATTEMPTS) return this.#park({ ...run, inboxSeq: job.seq });
    await scheduler.wait(RETRY_DELAY_MS);
    const deployment = this.#parts.deployments.current();
    const again = deployment && this.#begin(job);
    if (!deployment || again === undefined) return {};
    // Its caller has long been answered.
    return this.#attempt({ ...job, seq: job.seq }, again, deployment);
  }
}

function emissionOf(event: string): Outcome["emitted"][number] {
  const nowMs = Date.now();
  return { payload: event, emittedAtMs: nowMs, id: String(nowMs), ts: nowMs };
}
