import { leftFor } from "#domain/chains.ts";
import { DB_SERVICE, type HookName } from "#domain/definition.ts";
import { endpointUrls } from "#domain/endpoints.ts";
import { chunksOf, maxWireBytes } from "#domain/wire-size.ts";
import {
  checkedOutcome,
  isUnwritable,
  outcomeOf,
  unwritable,
  failedOutcome,
} from "#sandbox/outcome.ts";
import { mapOutcome } from "#sandbox/stack.ts";
import type {
  Call,
  Chain,
  DataStores,
  Host,
  Instance,
  Outcome,
  UserCode,
} from "#sandbox/user-code.ts";
import { Watchdog } from "#sandbox/watchdog.ts";
import { log } from "#telemetry/log.ts";

import type { Deployment } from "./contract.ts";
import { GroupClock } from "./group-clock.ts";
import { OutcomeSink } from "./host.ts";
import type { ResolvedProps } from "./resolved-props.ts";
import type { ServiceDbStore } from "./service-db.ts";

/** A hook may take this long, and a run (docs/contract.md: Deadlines). */
const HOOK_DEADLINE_MS = 60_000;
const RUN_DEADLINE_MS = 300_000;

/** What led to a call. */
type Cause = {
  hops?: number;
  /** How many runs it may make up with all that it leads to; absent: as many as a trigger may. */
  budget?: number | undefined;
  /** How many requests of components it is inside of. */
  depth?: number | undefined;
};

/** One event to run. A host makes it a call of its own. */
export type RunTask = Cause & { runId: string; event: string; host?: Host | undefined };

/** Told of one event of a group: its place, what came of it, and for how long it had the isolate. */
export type OnOutcome = (index: number, outcome: Outcome, computeMs: number) => void;

/** Where a deployment's code runs, and where its source map is. */
export type Sandbox = {
  open: (deployment: Deployment) => UserCode;
  /** The data stores that a deployment was given, if any. */
  stores: (deployment: Deployment) => DataStores | undefined;
  /** JSON text of the source map; empty when there is none. */
  sourceMap: (deployment: Deployment) => Promise<string>;
  /** The configured origins of the platform, beside that of the deployment's endpoints. */
  origins: readonly string[];
};

/** What stays from call to call while one deployment is called. */
type Warm = { deployment: Deployment; code: UserCode; identity: Identity };

/** What every instance of a deployment has. */
type Identity = Pick<Instance, "sourceId" | "endpoints" | "additional">;

/** Carries invocations to the isolate of a deployment's code. */
export class RunInvoker {
  readonly #sandbox: Sandbox;
  readonly #serviceDb: ServiceDbStore;
  readonly #configured: ResolvedProps;
  readonly #watchdog = new Watchdog();
  #warm: Warm | undefined;

  constructor(sandbox: Sandbox, serviceDb: ServiceDbStore, configured: ResolvedProps) {
    this.#sandbox = sandbox;
    this.#serviceDb = serviceDb;
    this.#configured = configured;
  }

  /** Run a hook. Rejects if the isolate crashes, times out or returns an invalid outcome. */
  async hook(deployment: Deployment, runId: string, hook: HookName, host: Host): Promise<Outcome> {
    const seen = await this.#configured.seenBy(deployment);
    if (!seen.ok) return failedOutcome(seen.failure);
    const db = this.#db(deployment);
    const instance = { ...this.#open(deployment).identity, runId, db, props: seen.props };
    const chain = this.#chain(deployment, {});
    const call: Call = { kind: "hook", hook, instance, chain, deadlineMs: HOOK_DEADLINE_MS };
    return this.#invoke(deployment, call, host);
  }

  /**
   * Run events in one call, or in as few as carry them: in order where the source keeps state, else side by side. `onOutcome` gets each outcome
   * as soon as it is known. Rejects as `hook` does; runs without an outcome by then crashed.
   */
  async runAll(
    deployment: Deployment,
    tasks: readonly RunTask[],
    onOutcome: OnOutcome,
  ): Promise<void> {
    const seen = await this.#configured.seenBy(deployment);
    if (!seen.ok) {
      for (const index of tasks.keys()) onOutcome(index, failedOutcome(seen.failure), 0);
      return;
    }
    const propsBytes = maxWireBytes(seen.props);
    let told = 0;
    for (const group of chunksOf(tasks, ({ event }) => maxWireBytes(event) + propsBytes)) {
      const before = told;
      await this.#runGroup(deployment, { tasks: group, props: seen.props }, (index, ...rest) =>
        onOutcome(before + index, ...rest),
      );
      told += group.length;
    }
  }

  /** Run as many events as one call carries. */
  async #runGroup(
    deployment: Deployment,
    { tasks, props }: { tasks: readonly RunTask[]; props: string },
    onOutcome: OnOutcome,
  ): Promise<void> {
    const db = this.#db(deployment);
    const { identity } = this.#open(deployment);
    const calls = tasks.map(({ runId, event, ...cause }): Call => {
      const instance = { ...identity, runId, db, props };
      const chain = this.#chain(deployment, cause);
      return { kind: "run", event, instance, chain, deadlineMs: RUN_DEADLINE_MS };
    });
    const inOrder = hasDb(deployment);
    const clock = new GroupClock(inOrder);
    const [first, ...others] = calls;
    if (first && others.length === 0) {
      const outcome = await this.#invoke(deployment, first, tasks[0]?.host);
      return onOutcome(0, outcome, clock.shareOf(1));
    }
    // One after the other, so that what a later run set is never overwritten by an earlier one's commit.
    let told = Promise.resolve();
    const open = new Set(calls.keys());
    const tell = (index: number, outcome: Outcome, computeMs: number): void => {
      const checked = checkedOutcome(outcome);
      open.delete(index);
      told = told.then(async () =>
        onOutcome(index, await this.#located(deployment, checked), computeMs),
      );
    };
    const sink = new OutcomeSink((index, outcome) => tell(index, outcome, clock.next()));
    await this.#guarded(async () => {
      const stores = this.#sandbox.stores(deployment);
      const answer = this.#open(deployment).code.invokeAll(calls, inOrder, sink, stores);
      const deadlineMs = RUN_DEADLINE_MS * (inOrder ? calls.length : 1);
      const outcomes = await outcomesOf(this.#watchdog.over(answer, deadlineMs), open);
      const share = clock.shareOf(outcomes.length || 1);
      for (const [index, outcome] of outcomes) tell(index, outcome, share);
    });
    await told;
  }

  /** Give up on isolates that have been silent past their deadlines. */
  giveUp(nowMs: number): void {
    this.#watchdog.giveUp(nowMs);
  }

  /** What a call's requests to the platform itself carry on. */
  #chain({ origin }: Deployment, { hops = 0, budget, depth = 0 }: Cause): Chain {
    return { origins: [origin, ...this.#sandbox.origins], hops, budget: leftFor(budget), depth };
  }

  #invoke(deployment: Deployment, call: Call, host?: Host): Promise<Outcome> {
    return this.#guarded(async () => {
      const stores = this.#sandbox.stores(deployment);
      const answer = this.#open(deployment).code.invoke(call, host, stores);
      const outcome = await outcomeOf(this.#watchdog.over(answer, call.deadlineMs));
      return this.#located(deployment, outcome);
    });
  }

  /** An isolate that failed is not called again: the next call opens a new one. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#warm = undefined;
      throw error;
    }
  }

  /** Tell where an error happened in the files as their author sent them. */
  async #located(deployment: Deployment, outcome: Outcome): Promise<Outcome> {
    try {
      const read = (): Promise<string> => this.#sandbox.sourceMap(deployment);
      return await mapOutcome(outcome, { bundleHash: deployment.bundleHash, read });
    } catch (error) {
      log("source_map_unreadable", { source_id: deployment.sourceId, error });
      return outcome;
    }
  }

  #open(deployment: Deployment): Warm {
    if (this.#warm?.deployment !== deployment) {
      const code = this.#sandbox.open(deployment);
      this.#warm = { deployment, code, identity: identityOf(deployment) };
    }
    return this.#warm;
  }

  #db(deployment: Deployment): Record<string, string> {
    return hasDb(deployment) ? this.#serviceDb.all() : {};
  }
}

function identityOf({ sourceId, endpoints, origin, props, additional = [] }: Deployment): Identity {
  const added = props.filter(({ name }) => additional.includes(name));
  return {
    sourceId,
    endpoints: endpointUrls(origin, endpoints),
    additional: added.length === 0 ? "" : JSON.stringify(added),
  };
}

/** The outcomes of a group by their places. Where they fit no call, each of those that are `open` is a failure. */
async function outcomesOf(
  answer: Promise<Outcome[]>,
  open: ReadonlySet<number>,
): Promise<[number, Outcome][]> {
  try {
    return [...(await answer).entries()];
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return [...open].map((index) => [index, unwritable()]);
  }
}

/** Whether the component keeps state, and so runs one invocation at a time. */
export function hasDb({ props }: Deployment): boolean {
  return props.some(({ type }) => type === DB_SERVICE);
}
