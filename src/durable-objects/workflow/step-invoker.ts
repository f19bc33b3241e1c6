import type { Cause } from "#domain/chains.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import type { Values } from "#domain/props.ts";
import { redactorOf, UNREDACTED } from "#domain/redaction.ts";
import { withTimeout } from "#domain/timeout.ts";
import { MAX_RUN_BYTES, MAX_STEP_BYTES } from "#domain/workflows.ts";
import { type Authorised, failureOf, type RenewToken } from "#sandbox/accounts.ts";
import { CallHost } from "#sandbox/call-host.ts";
import type { CodeOrigin } from "#sandbox/code-store.ts";
import { withoutStoreIds } from "#sandbox/data-stores.ts";
import { outcomeOf, failedOutcome } from "#sandbox/outcome.ts";
import { PlatformRequests } from "#sandbox/platform-requests.ts";
import { crashedOutcome, redactorOfCall, redactOutcome } from "#sandbox/redact-outcome.ts";
import { mapOutcome } from "#sandbox/stack.ts";
import type { Call, DataStores, Outcome, StepResult, UserCode } from "#sandbox/user-code.ts";
import { causeOfDeath } from "#telemetry/fault.ts";
import { log } from "#telemetry/log.ts";
import { during, mayBegin } from "#telemetry/under-way.ts";

import { share, type Sorted } from "./budgets.ts";
import type { PlannedStep, RunPlan, StepReport, StepOutcome } from "./contract.ts";
import { MIN_PAUSE_MS, tooLarge } from "./engine-values.ts";
import { StepHost, type StepOutlets } from "./host.ts";
import { pauseUrl } from "./pauses.ts";
import { sorted } from "./sorted-side-effects.ts";
import { keptInput } from "./step-input.ts";

/** The result of a step that did not run. */
const NO_RESULT: StepResult = { exports: "{}", sideEffects: [] };

/** Maximum time beyond its deadline that an isolate may take before its step is given up. */
const GRACE_MS = 5000;

/** `$.context.run`: the number of this run of the step, from 1, and the context that `$.flow.rerun` passed. */
export type StepRun = { runs: number; context?: unknown; callback_request?: unknown };

/** The input of one execution of a step. */
export type StepInvocation = {
  step: PlannedStep;
  number: number;
  run: StepRun;
  /** JSON text of `steps`. */
  steps: string;
  /** The bytes of the run's exports so far. */
  usedBytes: number;
  /** The number of runs that it may cause. */
  budget: number;
  /** The time at which the run must have paused or ended, epoch milliseconds. */
  deadlineMs: number;
  /** Whether the run ends if the step succeeds, or fails. */
  isLast: boolean;
  isFinal: boolean;
};

/** The sandbox of steps' code, and the code's source map. */
export type StepSandbox = {
  open: (step: PlannedStep) => { code: UserCode; stores: DataStores | undefined };
  /** The values of a step for its isolate: secrets decrypted, credentials as `$auth`. */
  valuesFor: (step: PlannedStep) => Promise<Authorised>;
  /** New access tokens for those that a provider refused to a step. */
  renewalFor: (step: PlannedStep) => RenewToken;
  origin: (step: PlannedStep) => Promise<CodeOrigin>;
  /** The `$.service.db` of a step as earlier runs left it, if it has one. */
  dbOf: (step: PlannedStep) => Promise<Record<string, string>>;
  /** The configured origins of the platform, beside that of the deployment's endpoint. */
  origins: readonly string[];
  /** The owner's network access, for requests with a cause. */
  egress: (cause: Cause) => Fetcher;
};

type Deps = { plan: RunPlan; sandbox: StepSandbox; outlets: StepOutlets };

/** Executes steps in isolates, and returns a report of each. */
export class StepInvoker {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Execute a step. Never rejects: a step has failed if its isolate crashes, times out or returns an invalid outcome.
   */
  async execute(execution: StepInvocation): Promise<StepReport> {
    // The caller ends with the process, and the engine's next process executes the step.
    if (!mayBegin()) return new Promise(() => {});
    return during("runs", () => this.#execute(execution));
  }

  async #execute(execution: StepInvocation): Promise<StepReport> {
    const startedMs = Date.now();
    const outcome = await this.#located(execution.step, await this.#outcome(execution));
    const { failure = null, uncaught = [] } = outcome;
    return reportOf(execution, { ...outcome, startedMs, failure, uncaught });
  }

  async #outcome(execution: StepInvocation): Promise<Outcome & { sent: Sorted }> {
    const { id: runId } = this.#deps.plan.context;
    const { step } = execution;
    let redact = UNREDACTED;
    try {
      const seen = await this.#deps.sandbox.valuesFor(step);
      if (!seen.ok) return { ...failedOutcome(failureOf(seen)), sent: NOTHING };
      const requests = this.#requestsOf(execution);
      const redactProps = redactorOf(seen.values, secretNamesOf(step));
      redact = (text) => redactorOfCall(redactProps, requests)(text);
      const checked = await outcomeOf(this.#invoke(execution, seen.values, requests)).finally(() =>
        requests.end(),
      );
      const outcome = { ...redactOutcome(checked, redact), spent: requests.end() };
      const { exports: exportsText, pause, sideEffects } = outcome.step ?? NO_RESULT;
      JSON.parse(exportsText);
      if (Buffer.byteLength(exportsText) > roomOf(execution) + 2)
        throw new RangeError("The step's exports exceed the limit");
      const idOf = (index: number): string => `${runId}-${execution.number}-${index}`;
      const sent = await sorted(sideEffects, idOf);
      const failure = tooLarge(exportsText, [sent.messages, pause ?? null]);
      if (failure) return { ...rejected(failure, outcome), sent: NOTHING };
      return { ...outcome, sent };
    } catch (error) {
      this.#logDeath(error);
      return { ...crashedOutcome(error, redact), sent: NOTHING };
    }
  }

  #logDeath(error: unknown): void {
    const { deployment, context, requestId: request_id } = this.#deps.plan;
    const { workflowId: workflow_id, ownerId: owner_id } = deployment;
    const outcome = causeOfDeath(error);
    log("isolate_died", { request_id, run_id: context.id, workflow_id, owner_id, outcome });
  }

  #requestsOf({ budget, step }: StepInvocation): PlatformRequests {
    const { plan, sandbox } = this.#deps;
    const cause = { hops: plan.hops, depth: 0, budget };
    return new PlatformRequests(cause, {
      egress: sandbox.egress,
      renewToken: sandbox.renewalFor(step),
    });
  }

  async #invoke(
    execution: StepInvocation,
    values: Values,
    requests: PlatformRequests,
  ): Promise<Outcome> {
    const { plan, sandbox, outlets } = this.#deps;
    const deadlineMs = execution.deadlineMs - Date.now();
    if (deadlineMs <= 0)
      return failedOutcome(
        newFailure("DeadlineExceeded", "The run did not pause or end within its deadline"),
      );
    const db = await sandbox.dbOf(execution.step);
    const capabilities = new StepHost(plan, { number: execution.number, requests }, outlets);
    const host = new CallHost(requests, capabilities);
    const { code, stores } = sandbox.open(execution.step);
    const call = this.#call(execution, deadlineMs, { values, db });
    return within(code.invoke(call, host, stores), deadlineMs + GRACE_MS);
  }

  #call(
    execution: StepInvocation,
    deadlineMs: number,
    { values, db }: { values: Values; db: Record<string, string> },
  ): Call {
    const { plan, sandbox } = this.#deps;
    const { step, number, run, steps } = execution;
    const { deployment, context, secret } = plan;
    const urlOf = (action: "resume" | "cancel"): string =>
      pauseUrl(deployment, { runId: context.id, number, action }, secret);
    return {
      kind: "step",
      deadlineMs,
      runId: context.id,
      origins: [deployment.origin, ...sandbox.origins],
      instance: {
        sourceId: deployment.workflowId,
        props: JSON.stringify(withoutStoreIds(step.props, values)),
        endpoints: {},
        db,
        additional: step.additional,
      },
      step: {
        name: step.name,
        steps,
        context: JSON.stringify({
          ...context,
          deadline: execution.deadlineMs,
          JIT: false,
          run,
        }),
        isComputed: step.expressions !== null,
        resumeUrl: urlOf("resume"),
        cancelUrl: urlOf("cancel"),
        room: roomOf(execution),
      },
    };
  }

  /** Map the stacks of errors to the author's files. */
  async #located<O extends Outcome>(step: PlannedStep, outcome: O): Promise<O> {
    try {
      const read = (): Promise<CodeOrigin> => this.#deps.sandbox.origin(step);
      return await mapOutcome(outcome, { bundleHash: step.bundleHash, read });
    } catch (error) {
      const { workflowId: workflow_id } = this.#deps.plan.deployment;
      log("source_map_unreadable", { workflow_id, error });
      return outcome;
    }
  }
}

/** An older deployment has no names: then those of its secrets with a value. */
function secretNamesOf({ secrets, sealed = {} }: PlannedStep): ReadonlySet<string> {
  return new Set(secrets ?? Object.keys(sealed));
}

/** The outcome of a step with a rejected result: only its log and its input are kept. */
function rejected(failure: Failure, { logs, step }: Outcome): Outcome {
  const input = step?.input;
  return { ...failedOutcome(failure, logs), step: { ...NO_RESULT, ...(input && { input }) } };
}

function roomOf({ usedBytes }: StepInvocation): number {
  return Math.max(0, Math.min(MAX_STEP_BYTES, MAX_RUN_BYTES - usedBytes));
}

function reportOf(
  { step: planned, number, isLast, isFinal, budget }: StepInvocation,
  outcome: Omit<Outcome, "failure" | "uncaught"> & Ended,
): StepReport {
  const { logs, uncaught, response = null, failure, sent, startedMs, step = NO_RESULT } = outcome;
  // A failed step requests nothing, and one that ends the workflow does not pause it.
  const { exit, pause = null } = failure ? {} : flowControlOf(step);
  const endedMs = Date.now();
  const shared = share(sent, { budget, spent: outcome.spent, isLast });
  return {
    number,
    name: planned.name,
    input: keptInput(planned, step.input),
    startedMs,
    endedMs,
    verdict: {
      exports: step.exports,
      failure,
      pause,
      parcels: shared.messages,
      spent: shared.spent,
      ends: endOf({ failure, exit, pause, isLast, isFinal }),
    },
    logs,
    db: outcome.db,
    uncaught: [...uncaught, ...shared.cut],
    response,
    emits: shared.emits,
    streamed: sent.streamed,
    exitReason: exit ?? null,
    wakeMs: pause && endedMs + Math.max(pause.ms, MIN_PAUSE_MS),
  };
}

function flowControlOf(step: StepResult): Pick<StepResult, "exit" | "pause"> {
  return step.exit === undefined
    ? { ...(step.pause && { pause: step.pause }) }
    : { exit: step.exit };
}

type Ending = {
  failure: Failure | null;
  exit: string | undefined;
  pause: StepOutcome["pause"];
  isLast: boolean;
  isFinal: boolean;
};

/** The end of the run with this execution, if there is nothing left to do. */
function endOf({ failure, exit, pause, isLast, isFinal }: Ending): StepOutcome["ends"] {
  if (failure) return isFinal ? "failed" : null;
  return exit !== undefined || (isLast && !pause) ? "succeeded" : null;
}

type Ended = { sent: Sorted; startedMs: number; failure: Failure | null; uncaught: Failure[] };

const NOTHING: Sorted = { emits: [], streamed: [], messages: [] };

function within<T>(call: Promise<T>, ms: number): Promise<T> {
  return withTimeout(call, ms, () => {
    throw new IsolateTimeout();
  });
}
