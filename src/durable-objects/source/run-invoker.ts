import { AsyncQueue } from "#domain/async-queue.ts";
import { type Cause, leftFor } from "#domain/chains.ts";
import { DB_SERVICE, type HookName } from "#domain/definition.ts";
import { endpointUrls } from "#domain/endpoints.ts";
import { type Redactor, UNREDACTED } from "#domain/redaction.ts";
import { SharedLimits } from "#domain/shared-limit.ts";
import { chunksOf, maxWireBytes } from "#domain/wire-size.ts";
import { CallHost } from "#sandbox/call-host.ts";
import type { CodeOrigin } from "#sandbox/code-store.ts";
import { checkedOutcome, outcomesOf, outcomeOf, failedOutcome } from "#sandbox/outcome.ts";
import { PlatformRequests } from "#sandbox/platform-requests.ts";
import { crashedOutcome, redactorOfCall, redactOutcome } from "#sandbox/redact-outcome.ts";
import { mapOutcome } from "#sandbox/stack.ts";
import type {
  Call,
  Capabilities,
  DataStores,
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

/** Deadlines of hooks and runs (docs/contract.md: Deadlines). */
const HOOK_DEADLINE_MS = 60_000;
const RUN_DEADLINE_MS = 300_000;

/** The cause of a run. Without a budget it has that of a new trigger. */
type RunCause = Partial<{ [K in keyof Cause]: Cause[K] | undefined }>;

/** One event to run. An event with a host runs in a call of its own. */
export type RunTask = RunCause & {
  runId: string;
  event: string;
  host?: Capabilities | undefined;
};

/** A task with its outcome and its compute time. `isGrouped`: other tasks shared its call. */
type Returned<T> = { task: T; outcome: Outcome; computeMs: number; isGrouped?: true };

/** The end of a task: an outcome, or a crash of its isolate. */
export type TaskEnd<T> =
  | ({ kind: "returned" } & Omit<Returned<T>, "isGrouped">)
  | { kind: "crashed"; task: T; error: unknown; computeMs: number };

/** The sandbox of a deployment's code, and the code's source map. */
export type Sandbox = {
  open: (deployment: Deployment) => UserCode;
  /** The configured data stores of a deployment, if any. */
  stores: (deployment: Deployment) => DataStores | undefined;
  /** JSON text of the source map; empty if there is none. */
  origin: (deployment: Deployment) => Promise<CodeOrigin>;
  /** The configured origins of the platform, beside that of the deployment's endpoints. */
  origins: readonly string[];
  /** The owner's network access, for requests with a cause. */
  egress: (deployment: Deployment, cause: Cause) => Fetcher;
};

/** The state that calls of one deployment share. */
type Warm = { deployment: Deployment; code: UserCode; identity: Identity };

/** One call, its requests and its host; `redact` replaces the secrets in its props. */
type Invocation = {
  call: Call;
  requests: PlatformRequests;
  host?: Capabilities | undefined;
  redact: Redactor;
};

/** The common part of a deployment's instances. */
type Identity = Pick<Instance, "sourceId" | "endpoints" | "additional">;

/** Calls the isolate of a deployment's code. */
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

  /** Run a hook. A crash of the isolate, a timeout and an invalid outcome are failures. */
  async hook(
    deployment: Deployment,
    runId: string,
    hook: HookName,
    host: Capabilities,
  ): Promise<Outcome> {
    let redact = UNREDACTED;
    try {
      const seen = await this.#configured.seenBy(deployment);
      if (!seen.ok) return failedOutcome(seen.failure);
      const requests = this.#requestsOf(deployment, {});
      redact = (text) => redactorOfCall(seen.redact, requests)(text);
      const db = this.#db(deployment);
      const instance = { ...this.#open(deployment).identity, db, props: seen.props };
      const common = { instance, runId, origins: this.#originsOf(deployment) };
      const call: Call = { kind: "hook", hook, ...common, deadlineMs: HOOK_DEADLINE_MS };
      return await this.#invoke(deployment, { call, requests, host, redact: seen.redact });
    } catch (error) {
      return crashedOutcome(error, redact);
    }
  }

  /**
   * Run events in one call, or in as few as possible: in order if the source keeps state, else side by side. Yields the
   * end of each of them, as soon as it is known. Never throws: a run without an outcome has crashed, and one that
   * failed at a limit of its group counts as crashed, with those after it if they are in order.
   */
  async *runAll<T extends RunTask>(
    deployment: Deployment,
    tasks: readonly T[],
  ): AsyncGenerator<TaskEnd<T>, void> {
    const inOrder = hasDb(deployment);
    const clock = new GroupClock(inOrder);
    const open = new Set(tasks);
    const limits = new SharedLimits(inOrder);
    try {
      for await (const { isGrouped, ...returned } of this.#outcomes(deployment, tasks, clock)) {
        const { task, computeMs, outcome } = returned;
        open.delete(task);
        const error = isGrouped && limits.exceededBy(outcome);
        yield error
          ? { kind: "crashed", task, computeMs, error }
          : { kind: "returned", ...returned };
      }
      if (open.size > 0) throw new Error(`The isolate returned no outcome of ${open.size} events`);
    } catch (error) {
      const computeMs = clock.shareOf(open.size);
      for (const task of open) yield { kind: "crashed", task, computeMs, error };
    }
  }

  /** Yields outcomes. Throws the same errors as `hook`. */
  async *#outcomes<T extends RunTask>(
    deployment: Deployment,
    tasks: readonly T[],
    clock: GroupClock,
  ): AsyncGenerator<Returned<T>, void> {
    const seen = await this.#configured.seenBy(deployment);
    if (!seen.ok) {
      for (const task of tasks) yield { task, outcome: failedOutcome(seen.failure), computeMs: 0 };
      return;
    }
    const { props, redact } = seen;
    const propsBytes = maxWireBytes(props);
    for (const group of chunksOf(tasks, ({ event }) => maxWireBytes(event) + propsBytes)) {
      const calls = this.#callsOf(deployment, group, props);
      clock.restart();
      const [task, ...others] = group;
      const [call] = calls;
      if (others.length > 0)
        yield* this.#invokeAll(deployment, { tasks: group, calls, redact }, clock);
      else if (task && call) {
        const requests = this.#requestsOf(deployment, task);
        const outcome = await this.#invoke(deployment, { call, requests, host: task.host, redact });
        yield { task, outcome, computeMs: clock.shareOf(1) };
      }
    }
  }

  #callsOf(deployment: Deployment, tasks: readonly RunTask[], props: string): Call[] {
    const instance = { ...this.#open(deployment).identity, db: this.#db(deployment), props };
    const origins = this.#originsOf(deployment);
    return tasks.map(({ runId, event }): Call => ({
      kind: "run",
      event,
      runId,
      instance,
      origins,
      deadlineMs: RUN_DEADLINE_MS,
    }));
  }

  /** Run as many events as fit into one call. */
  async *#invokeAll<T extends RunTask>(
    deployment: Deployment,
    { tasks, calls, redact }: { tasks: readonly T[]; calls: Call[]; redact: Redactor },
    clock: GroupClock,
  ): AsyncGenerator<Returned<T>, void> {
    const inOrder = hasDb(deployment);
    const queue = new AsyncQueue<Returned<T>>();
    const open = new Set(calls.keys());
    const requests = tasks.map((task) => this.#requestsOf(deployment, task));
    const take = (index: number, outcome: Outcome, computeMs: number): void => {
      const [task, request] = [tasks[index], requests[index]];
      if (!task || !request) return;
      const checked = { ...checkedOutcome(outcome), spent: request.end() };
      const redacted = redactOutcome(checked, redactorOfCall(redact, request));
      if (open.delete(index)) queue.push({ task, outcome: redacted, computeMs });
    };
    const sink = new OutcomeSink((index, outcome) => take(index, outcome, clock.next()), requests);
    const invoked = this.#guarded(async () => {
      const stores = this.#sandbox.stores(deployment);
      const outcomes = this.#open(deployment).code.invokeAll(calls, inOrder, sink, stores);
      const deadlineMs = RUN_DEADLINE_MS * (inOrder ? calls.length : 1);
      const together = await outcomesOf(this.#watchdog.over(outcomes, deadlineMs), open);
      const share = clock.shareOf(together.length || 1);
      for (const [index, outcome] of together) take(index, outcome, share);
    });
    void invoked
      .finally(() => {
        for (const each of requests) each.end();
      })
      .then(
        () => queue.close(),
        (error: unknown) => queue.fail(error),
      );
    // One after the other, so that an earlier run's commit never overwrites the writes of a later one.
    for await (const { outcome, ...returned } of queue)
      yield { ...returned, outcome: await this.#located(deployment, outcome), isGrouped: true };
  }

  /** Fail calls whose isolates did not respond within their deadlines. */
  giveUp(nowMs: number): void {
    this.#watchdog.giveUp(nowMs);
  }

  #originsOf({ origin }: Deployment): string[] {
    return [origin, ...this.#sandbox.origins];
  }

  #requestsOf(deployment: Deployment, { hops = 0, budget, depth = 0 }: RunCause): PlatformRequests {
    const cause = { hops, depth, budget: leftFor(budget) };
    return new PlatformRequests(cause, {
      egress: (of) => this.#sandbox.egress(deployment, of),
      renewToken: (refused) => this.#configured.renewToken(deployment, refused),
    });
  }

  #invoke(deployment: Deployment, { call, requests, host, redact }: Invocation): Promise<Outcome> {
    return this.#guarded(async () => {
      const stores = this.#sandbox.stores(deployment);
      const callHost = new CallHost(requests, host);
      const outcome = this.#open(deployment).code.invoke(call, callHost, stores);
      const checked = await outcomeOf(this.#watchdog.over(outcome, call.deadlineMs));
      const redacted = redactOutcome(checked, redactorOfCall(redact, requests));
      return this.#located(deployment, { ...redacted, spent: requests.end() });
    }).finally(() => requests.end());
  }

  /** A failed isolate is not called again: the next call opens a new one. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#warm = undefined;
      throw error;
    }
  }

  /** Map the stacks of errors to the author's files. */
  async #located(deployment: Deployment, outcome: Outcome): Promise<Outcome> {
    try {
      const read = (): Promise<CodeOrigin> => this.#sandbox.origin(deployment);
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

/** Whether the component keeps state, and so runs one invocation at a time. */
export function hasDb({ props }: Deployment): boolean {
  return props.some(({ type }) => type === DB_SERVICE);
}
