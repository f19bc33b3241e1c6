import { afterTimers } from "#domain/alerts.ts";
import { usageBesideRuns } from "#domain/billing.ts";
import { type HookName, TIMER_INTERFACE } from "#domain/definition.ts";
import { type Failure, failureLine } from "#domain/invocation.ts";
import { toJson } from "#domain/json.ts";
import { type Schedule, scheduleOf } from "#domain/schedule.ts";
import type { AccountWatch } from "#durable-objects/emitter/account-watch.ts";
import type { Outbox } from "#durable-objects/emitter/outbox.ts";
import type { Publisher } from "#durable-objects/emitter/publisher.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import type { Timers } from "#durable-objects/shared/timers.ts";
import type { Outcome } from "#sandbox/user-code.ts";
import { log } from "#telemetry/log.ts";

import type { Current, Deployment, HooksResult, Settled } from "./contract.ts";
import type { Deployments } from "./deployments.ts";
import { HookHost } from "./host.ts";
import { RECOVERY_DELAY_MS } from "./inbox.ts";
import { type RunCommitter, type Run, runOf } from "./run-committer.ts";
import type { RunInvoker } from "./run-invoker.ts";
import type { ServiceDbStore } from "./service-db.ts";
import type { Usage } from "./usage.ts";

type Deps = {
  deployments: Deployments;
  invoker: RunInvoker;
  committer: RunCommitter;
  serviceDb: ServiceDbStore;
  timers: Timers;
  accountWatch: AccountWatch;
  publisher: Publisher;
  alarm: Alarm;
  meter: Meter;
  usage: Usage;
  outbox: Outbox;
  /** Writes the outcome of a change to the source's row. */
  reportSettled: (settled: Settled) => Promise<void>;
};

/**
 * Creates, updates and deletes a source. Hooks are outside the order of runs: while one runs, events to the endpoint
 * are run, because providers call back from inside `activate()`.
 */
export class Lifecycle {
  readonly #deps: Deps;
  #isChanging = false;
  // The request of the change that is under way.
  #requestId: string | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether a create or an update runs its hooks right now. */
  isChanging(): boolean {
    return this.#isChanging;
  }

  /** Whether a process crashed while it created this source. */
  isAbandonedCreate(): boolean {
    return this.#isAbandoned() && this.#deps.deployments.previous() === undefined;
  }

  /** Roll back an update that a crash interrupted, and report a change that was not reported. */
  async recover(): Promise<void> {
    if (this.#isAbandoned()) await this.#changing(() => this.#rollBack());
    try {
      await this.#report();
    } catch (error) {
      log("source_untold", { source_id: this.#deps.deployments.current()?.sourceId, error });
    }
  }

  #isAbandoned(): boolean {
    return !this.#isChanging && this.#deps.deployments.status().phase === "changing";
  }

  /** Run `deploy` then `activate`, and start the timers. */
  create(deployment: Deployment, requestId?: string): Promise<HooksResult> {
    this.#requestId = requestId;
    return this.#changing(async () => {
      this.#deps.deployments.begin(deployment, true);
      // The owner's quotas are still unknown.
      if (deployment.hooks.length > 0) await this.#deps.meter.reload();
      const refusal = this.#refusal(deployment);
      if (refusal) return refusal;
      const result = await this.#hooks(deployment, ["deploy", "activate"]);
      if (result.ok) {
        this.#settle();
        await this.#report();
      }
      return result;
    });
  }

  /** Deploy a backup without `deploy`. A failing `activate` is recorded and does not block. */
  revive(kept: Current): Promise<void> {
    return this.#changing(() => this.#resume(kept));
  }

  /** `deactivate` the old deployment, swap, `activate` the new one; if that fails, the old one is active again. */
  async update(deployment: Deployment, active: boolean, requestId?: string): Promise<HooksResult> {
    await this.#deps.meter.refresh();
    const refusal = active ? this.#refusal(deployment) : undefined;
    if (refusal) return refusal;
    return this.#changing(async () => {
      await this.deactivate(requestId);
      this.#deps.deployments.begin(deployment, active);
      const result = active ? await this.#hooks(deployment, ["activate"]) : ({ ok: true } as const);
      if (result.ok) this.#settle();
      else await this.#rollBack();
      await this.#report();
      return result;
    });
  }

  /**
   * Refuse hooks while a quota of the owner's is used up: a deployment activated then runs none, `deactivate` included,
   * so that each source that is still active may release its resources once, when deactivated or deleted.
   */
  #refusal(deployment: Deployment): HooksResult | undefined {
    const running = this.#deps.deployments.current();
    const hasHooks = [deployment, running].some((one) => one && one.hooks.length > 0);
    const exhausted = hasHooks ? this.#deps.meter.exhausted(0) : undefined;
    return exhausted && { ok: false, exhausted: exhausted.quota };
  }

  async #rollBack(): Promise<void> {
    const previous = this.#deps.deployments.previous();
    if (previous) await this.#resume(previous);
  }

  async #resume(known: Current): Promise<void> {
    this.#deps.deployments.restore(known);
    if (known.active) await this.#reportedHook(known.deployment, "activate");
    this.#settle();
  }

  /** Run `deactivate` if the source is active. Its failure is recorded and blocks nothing. */
  async deactivate(requestId?: string): Promise<void> {
    this.#requestId = requestId;
    const deployment = this.#deps.deployments.current();
    if (deployment && this.#deps.deployments.status().active)
      await this.#reportedHook(deployment, "deactivate");
  }

  async #changing<T>(change: () => Promise<T>): Promise<T> {
    this.#isChanging = true;
    // If this process crashes meanwhile, the alarm rolls the change back.
    this.#deps.alarm.arm(Date.now() + RECOVERY_DELAY_MS);
    try {
      return await change();
    } finally {
      this.#isChanging = false;
    }
  }

  #settle(): void {
    const { deployments, timers, accountWatch, committer, publisher, meter } = this.#deps;
    const deployment = deployments.current();
    // Removed while its hooks ran: nothing may be written any more.
    if (!deployment) return;
    deployments.settle();
    accountWatch.request();
    const schedules = deployments.status().active ? schedulesOf(deployment) : [];
    timers.start(schedules, Date.now());
    const props = schedules.map(([prop]) => prop);
    publisher.publish(committer.alert((state) => afterTimers(state, props)));
    // The owner's object watches them from now on; if it does not respond, from the first tick.
    if (schedules.length > 0) void meter.reportAll().catch(() => undefined);
  }

  /**
   * Write the outcome of a change to the row: the request for it ends half a minute after its caller hangs up. Only
   * then may events of its hooks be delivered.
   */
  async #report(): Promise<void> {
    const { deployments, outbox, reportSettled } = this.#deps;
    const change = deployments.unreported();
    const settled = deployments.settled();
    if (change === undefined || !settled || deployments.status().phase === "changing") return;
    await reportSettled({ id: settled.deployment.sourceId, change, current: toJson(settled) });
    // Removed meanwhile: nothing may be written any more.
    if (!deployments.current()) return;
    deployments.reported(change);
    outbox.release();
  }

  async #hooks(deployment: Deployment, hooks: readonly HookName[]): Promise<HooksResult> {
    for (const hook of hooks) {
      const failure = await this.#hook(deployment, hook);
      if (failure) return { ok: false, hook, failure };
    }
    return { ok: true };
  }

  async #reportedHook(deployment: Deployment, hook: HookName): Promise<void> {
    await this.#hook(deployment, hook, "recorded");
  }

  /**
   * Run one hook and commit its events and logs. Returns the reason if it failed; if the caller receives the reason, it
   * is no error of the source's, but it is in the log.
   */
  async #hook(
    deployment: Deployment,
    hook: HookName,
    failing: "returned" | "recorded" = "returned",
  ): Promise<Failure | undefined> {
    if (!deployment.hooks.includes(hook)) return undefined;
    const run = runOf(deployment, this.#requestId);
    const beganMs = Date.now();
    const outcome = keptOf(hook, deployment, await this.#outcomeOf(run, hook));
    const nowMs = Date.now();
    const { failure, ...rest } = outcome;
    const logs = failure ? [...rest.logs, failureLine(failure, Date.now())] : rest.logs;
    const { deployments, committer, usage, alarm, meter } = this.#deps;
    // Removed while its hook ran: nothing may be written any more.
    if (!deployments.current()) return failure;
    committer.commit(run, failing === "recorded" ? outcome : { ...rest, logs });
    // On disk together with the commit: nothing is awaited between the two.
    usage.addHook(nowMs - beganMs, nowMs);
    alarm.arm(meter.count(usageBesideRuns(nowMs - beganMs, nowMs)));
    return failure;
  }

  #outcomeOf({ deployment, runId }: Run, hook: HookName): Promise<Outcome> {
    const { invoker, serviceDb } = this.#deps;
    const host = new HookHost((key, value) => {
      const writes = { [key]: value };
      if (!serviceDb.fits(writes)) throw new RangeError("The db of a source may have at most 8 MB");
      serviceDb.write(writes);
    });
    return invoker.hook(deployment, runId, hook, host);
  }
}

/**
 * The part of a hook's outcome to keep: all of it, except for the events of `deploy` if the deployment excludes them.
 */
function keptOf(hook: HookName, { emitOnDeploy = true }: Deployment, outcome: Outcome): Outcome {
  return hook === "deploy" && !emitOnDeploy ? { ...outcome, emitted: [] } : outcome;
}

function schedulesOf({ props, configuredProps }: Deployment): [string, Schedule][] {
  return props.flatMap(({ name, type }): [string, Schedule][] => {
    const schedule = type === TIMER_INTERFACE ? scheduleOf(configuredProps[name]) : undefined;
    return schedule ? [[name, schedule]] : [];
  });
}
