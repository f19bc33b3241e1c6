import { afterTick } from "#domain/alerts.ts";
import type { Position } from "#domain/event-ids.ts";
import { type Tick, tickEvent } from "#domain/schedule.ts";
import { withTimeout } from "#domain/timeout.ts";
import { maxWireBytes } from "#domain/wire-size.ts";
import { reasonToSkip } from "#durable-objects/emitter/admission.ts";
import type { Publisher } from "#durable-objects/emitter/publisher.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import type { Timers } from "#durable-objects/shared/timers.ts";

import type { Deployments } from "./deployments.ts";
import type { Inbox } from "./inbox.ts";
import { type Job, newJob } from "./queue.ts";
import { type RunCommitter, runOf } from "./run-committer.ts";
import type { Runner } from "./runner.ts";

/** If a tick's run takes longer, the tick waits for the outcome in the inbox, and no longer in the alarm. */
const QUICK_RUN_MS = 250;

/** A later tick may have crashed the process before: it is stored first, so that its crashes are counted. */
const LATE_MS = 1000;

type Deps = {
  timers: Timers;
  inbox: Inbox;
  runner: Runner;
  meter: Meter;
  committer: RunCommitter;
  deployments: Deployments;
  publisher: Publisher;
};

/**
 * A tick that runs from the alarm. Until its timer advances, with the outcome or into the inbox, the alarm repeats it.
 */
export type QuickTick = { job: Job; end: Promise<unknown> };

type Skipped = { prop: string; why: string };

/** Runs the ticks of a source's timers, each once. */
export class Ticks {
  readonly #deps: Deps;
  readonly #quick = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Run the due ticks. The returned ones are not stored yet: pass them to `settle`. */
  begin(nowMs: number, isRetry: boolean): QuickTick[] {
    const { timers, committer, publisher } = this.#deps;
    const due = timers.due(nowMs).filter(({ prop }) => !this.#quick.has(prop));
    if (due.length === 0) return [];
    const skipped: Skipped[] = [];
    const alerts: Position[] = [];
    const begun = committer.inTransaction(() =>
      due.flatMap((tick, index) => {
        const why = this.#reasonToSkip(tick, index);
        if (why !== undefined) {
          skipped.push({ prop: tick.prop, why });
          timers.advance(tick, nowMs);
          return [];
        }
        alerts.push(...committer.alert((state) => afterTick(state, tick, nowMs)));
        const isQuick = !isRetry && nowMs - tick.dueMs <= LATE_MS;
        return isQuick ? [quickJob(tick)] : [this.#store(tick, { nowMs, isRetry })];
      }),
    );
    publisher.publish(alerts);
    const quick = begun.flatMap((job) => this.#submit(job));
    this.#note(skipped, nowMs);
    return quick;
  }

  /** Wait for these to end, but not for long: slower ones are stored in the inbox. */
  async settle(ticks: readonly QuickTick[]): Promise<void> {
    if (ticks.length === 0) return;
    try {
      const ends = Promise.all(ticks.map(({ end }) => end));
      await withTimeout(ends, QUICK_RUN_MS, () => undefined);
      // Removed meanwhile: nothing may be written any more.
      if (!this.#deps.deployments.current()) return;
      for (const { job } of ticks) this.#deps.runner.keep(job);
    } finally {
      for (const { job } of ticks) if (job.tick) this.#quick.delete(job.tick.prop);
    }
  }

  #reasonToSkip({ prop }: Tick, index: number): string | undefined {
    const { inbox, runner, meter } = this.#deps;
    return reasonToSkip(meter, { isPending: inbox.holdsTick(prop), load: runner.load() + index });
  }

  #store(tick: Tick, { nowMs, isRetry }: { nowMs: number; isRetry: boolean }): Job {
    const { timers, inbox } = this.#deps;
    const event = eventOf(tick);
    const requestId = crypto.randomUUID();
    const started = { attempts: isRetry ? 1 : 0, isForeign: isRetry };
    const seq = inbox.put(event, { ...started, timer: tick.prop, requestId });
    timers.advance(tick, nowMs);
    const job = newJob({ seq, bytes: maxWireBytes(event) }, { trigger: "timer", requestId });
    return { ...job, isSuspect: isRetry };
  }

  #submit(job: Job): QuickTick[] {
    const end = this.#deps.runner.submit(job);
    if (!job.tick) return [];
    this.#quick.add(job.tick.prop);
    return [{ job, end }];
  }

  #note(skipped: readonly Skipped[], nowMs: number): void {
    const { committer, deployments } = this.#deps;
    const deployment = deployments.current();
    if (!deployment || skipped.length === 0) return;
    const logs = skipped.map(({ prop, why }) => ({
      level: "warn",
      message: `A tick of "${prop}" was skipped: ${why}`,
      atMs: nowMs,
    }));
    committer.commit(runOf(deployment), { emitted: [], db: {}, logs });
  }
}

function quickJob(tick: Tick): Job {
  const { prop, dueMs } = tick;
  const cause = { trigger: "timer", requestId: crypto.randomUUID() } as const;
  return { ...newJob({ event: eventOf(tick) }, cause), tick: { prop, dueMs } };
}

function eventOf({ schedule, dueMs }: Tick): string {
  return JSON.stringify(tickEvent(schedule, dueMs));
}
