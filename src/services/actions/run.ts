import { type Cause, chainEnd, isChainOver, leftFor } from "#domain/chains.ts";
import { HTTP_INTERFACE, type PropDefinition, TIMER_INTERFACE } from "#domain/definition.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { newToken, type OwnerId } from "#domain/ids.ts";
import type { Failure } from "#domain/invocation.ts";
import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import type { Json } from "#domain/json.ts";
import { type Observation, observationsOf } from "#domain/observations.ts";
import { additionalProps, secretProps, type Values } from "#domain/props.ts";
import { redactorOf } from "#domain/redaction.ts";
import { withTimeout } from "#domain/timeout.ts";
import { MAX_STEP_BYTES } from "#domain/workflows.ts";
import { tokenRenewal } from "#sandbox/accounts.ts";
import { CallHost } from "#sandbox/call-host.ts";
import type { CodeOrigin } from "#sandbox/code-store.ts";
import { grantStores, withoutStoreIds } from "#sandbox/data-stores.ts";
import { isIsolateLimit } from "#sandbox/isolate-limit.ts";
import { outcomeOf } from "#sandbox/outcome.ts";
import { PlatformRequests } from "#sandbox/platform-requests.ts";
import {
  crashedOutcome,
  redactFailure,
  redactorOfCall,
  redactOutcome,
} from "#sandbox/redact-outcome.ts";
import { mapOutcome } from "#sandbox/stack.ts";
import type { Call, Outcome } from "#sandbox/user-code.ts";
import { causeOfDeath } from "#telemetry/fault.ts";
import { log } from "#telemetry/log.ts";

import { withCredentials } from "../accounts.ts";
import type { Component } from "../components.ts";
import type { AppContext } from "../context.ts";
import { isolatesAtWork } from "../evaluation.ts";
import { labelsOf } from "../scripts.ts";
import { type Configuration, configure } from "../sources/configuration.ts";
import { meteredRun, planToRun } from "../usage.ts";
import { sendAll } from "./sends.ts";
import { keepStash, type OpenStash, openStash, type StashUpload } from "./stash.ts";

/** Maximum time of an action (docs/contract.md: Deadlines). */
const DEADLINE_MS = 300_000;

/** Time to wait for an isolate's outcome after the deadline of its action. */
const GRACE_MS = 5000;

/** The action to run, its owner, its configuration and its cause. */
export type ActionRun = {
  owner: OwnerId;
  component: Component;
  configuredProps: Values;
  /** The id of a stash, or `new` for a new one; undefined: the files in /tmp are dropped. */
  stash?: string | undefined;
  cause: Cause;
  /** Refuses values that the caller may not use, just before the action runs. */
  admit?: ((configuration: Configuration) => void) | undefined;
};

/** The result of an action. A failed one has its error among the observations. */
export type ActionResult = {
  exports: Record<string, Json>;
  /** The return value of `run`; undefined if there is none. */
  returned: Json | undefined;
  observations: Observation[];
  stash: { id: string; uploads: StashUpload[] } | undefined;
};

/**
 * Run one action by itself, without a workflow. Refuses props that break a rule, an owner whose quota is used up, and a
 * chain of runs that has ended.
 */
export async function runAction(ctx: AppContext, run: ActionRun): Promise<ActionResult> {
  const { owner, component } = run;
  if (isChainOver(run.cause)) throw new RequestError("loop_detected", chainEnd(run.cause).message);
  const configuration = await configure(
    ctx,
    { owner, component, previous: [] },
    { stored: {}, given: run.configuredProps },
  );
  refuseOfSources(configuration.props);
  run.admit?.(configuration);
  const plan = await planToRun(ctx, owner);
  const [values, stash] = await Promise.all([
    withCredentials(ctx, owner, configuration),
    run.stash === undefined ? undefined : openStash(ctx, owner, run.stash),
  ]);
  const call = callOf(ctx, run, { configuration, values, stash });
  const ended = await meteredRun(ctx, owner, () =>
    outcome(ctx, { ...run, call, configuration, granted: values, plan }),
  );
  return resultOf(ctx, { ...ended, stash });
}

/** Props that only sources have. */
const OF_SOURCES = new Set([HTTP_INTERFACE, TIMER_INTERFACE]);

function refuseOfSources(props: readonly PropDefinition[]): void {
  const issues = props
    .filter(({ type }) => OF_SOURCES.has(type))
    .map(({ name, type }) => ({
      path: `configured_props.${name}`,
      message: `an action cannot have a prop of type ${type}`,
    }));
  if (issues.length > 0) throw invalidInput(issues);
}

type Prepared = { configuration: Configuration; values: Values; stash: OpenStash | undefined };

function callOf(
  ctx: Pick<AppContext, "origin" | "ownOrigins">,
  { owner, component }: ActionRun,
  { configuration: { props }, values, stash }: Prepared,
): Call {
  const runId = newToken();
  const added = additionalProps(component.definition.props, props);
  const context = {
    id: runId,
    ts: new Date().toISOString(),
    deadline: Date.now() + DEADLINE_MS,
    JIT: false,
    run: { runs: 1 },
  };
  return {
    kind: "step",
    deadlineMs: DEADLINE_MS,
    runId,
    origins: [ctx.origin, ...ctx.ownOrigins],
    instance: {
      // Crashes count against the code of one owner only, never against that of another.
      sourceId: `${owner}:${component.id}`,
      props: JSON.stringify(withoutStoreIds(props, values)),
      endpoints: {},
      db: {},
      additional: added.length === 0 ? "" : JSON.stringify(added),
    },
    step: {
      name: component.key ?? component.id,
      steps: "{}",
      context: JSON.stringify(context),
      isComputed: false,
      resumeUrl: "",
      cancelUrl: "",
      room: MAX_STEP_BYTES,
      isAlone: true,
      ...(stash && { files: stash.files }),
    },
  };
}

type Running = ActionRun & {
  call: Call;
  configuration: Configuration;
  /** The values for its isolate. */
  granted: Values;
  plan: Parameters<AppContext["stored"]>[1];
};

/** Call the isolate, and send the action's messages. A crash of the isolate is a failure. Rejects while too many are at work. */
async function outcome(
  ctx: AppContext,
  { owner, component, call, configuration, granted, plan, cause }: Running,
): Promise<{ outcome: Outcome; unsent: Failure[] }> {
  const { bundleHash } = component;
  const { props, values } = configuration;
  const requests = new PlatformRequests(
    { ...cause, budget: leftFor(cause.budget) },
    {
      egress: (of) => ctx.egress(owner, of),
      renewToken: tokenRenewal(ctx.accounts, owner, configuration),
    },
  );
  const redactProps = redactorOf(granted, secretProps(props));
  try {
    const code = ctx.stored(owner, plan, { bundleHash, labels: labelsOf(component) });
    const stores = grantStores(ctx.dataStores, props, values);
    const invoked = code.invoke(call, new CallHost(requests), stores);
    const ended = await outcomeOf(within(invoked, DEADLINE_MS + GRACE_MS));
    const send = { owner, hops: cause.hops, requests };
    const unsent = await sendAll(ctx, send, ended.step?.sideEffects ?? []);
    const read = (): Promise<CodeOrigin | undefined> => ctx.codeStore.origin(bundleHash);
    const redact = redactorOfCall(redactProps, requests);
    const mapped = await mapOutcome(redactOutcome(ended, redact), { bundleHash, read });
    return { outcome: mapped, unsent: unsent.map((failure) => redactFailure(failure, redact)) };
  } catch (error) {
    if (isIsolateLimit(error)) throw isolatesAtWork();
    const died = causeOfDeath(error);
    log("isolate_died", { request_id: ctx.requestId, owner_id: owner, outcome: died });
    const redact = redactorOfCall(redactProps, requests);
    return { outcome: crashedOutcome(error, redact), unsent: [] };
  } finally {
    requests.end();
  }
}

function within<T>(call: Promise<T>, ms: number): Promise<T> {
  return withTimeout(call, ms, () => {
    throw new IsolateTimeout();
  });
}

type Ended = { outcome: Outcome; unsent: Failure[]; stash: OpenStash | undefined };

async function resultOf(
  ctx: AppContext,
  { outcome: { step, logs, uncaught = [], failure }, unsent, stash }: Ended,
): Promise<ActionResult> {
  const { $return_value: returned, ...exports }: Record<string, Json> = JSON.parse(
    step?.exports ?? "{}",
  );
  const failures = [...uncaught, ...unsent, ...(failure ? [failure] : [])];
  return {
    exports,
    returned,
    observations: observationsOf({ logs, failures }, Date.now()),
    // Files of a failed action replace nothing.
    stash: stash && {
      id: stash.id,
      uploads: await keepStash(ctx, stash, step?.files ?? stash.files),
    },
  };
}
