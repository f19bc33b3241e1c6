import { type Cause, leftFor } from "#domain/chains.ts";
import { errorMessage } from "#domain/errors.ts";
import { newToken } from "#domain/ids.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import type { Json } from "#domain/json.ts";
import { withTimeout } from "#domain/timeout.ts";
import { CallHost } from "#sandbox/call-host.ts";
import { failedOutcome, outcomeOf } from "#sandbox/outcome.ts";
import { PlatformRequests } from "#sandbox/platform-requests.ts";
import { ACTIONS_ORIGIN, bundleOfProgram, startFailure } from "#sandbox/program.ts";
import type { Call, Outcome } from "#sandbox/user-code.ts";

import { meteredRun, planToRun } from "../usage.ts";
import { admitRun } from "./admission.ts";
import { type AgentContext, requireKind } from "./context.ts";
import { type ProgramCall, ProgramCalls } from "./program-calls.ts";

/** Maximum time of a program. */
const DEADLINE_MS = 60_000;

/** Time to wait for its isolate's outcome after its deadline. */
const GRACE_MS = 5000;

/** Maximum return value of a program, in bytes of JSON. */
const MAX_RESULT_BYTES = 256 * 1024;

export type ProgramResult = {
  result: Json;
  error?: { name: string; message: string };
  logs: { level: string; message: string }[];
  /** The actions that it ran; after a dry run, those that it would have run. */
  calls: ProgramCall[];
};

/**
 * Run a program of an agent in an isolate of its own, without network and bindings, that can request actions from its
 * host. The host checks each like a request of the agent. `isDry`: no action runs.
 */
export async function executeProgram(
  agent: AgentContext,
  { code, isDry, cause }: { code: string; isDry: boolean; cause: Cause },
): Promise<ProgramResult> {
  requireKind(agent, "act");
  await admitRun(agent);
  const [plan, bundle] = await Promise.all([planToRun(agent, agent.owner), bundleOfProgram(code)]);
  const budget = new PlatformRequests(
    { ...cause, budget: leftFor(cause.budget) },
    { egress: (of) => agent.egress(agent.owner, of), renewToken: async () => null },
  );
  const host = new ProgramCalls(agent, { cause, budget, isDry });
  const outcome = await meteredRun(agent, agent.owner, () =>
    outcomeIn(agent.program(agent.owner, plan, bundle).invoke(callOf(), new CallHost(host))),
  );
  host.end();
  return resultOf(outcome, host.calls);
}

function callOf(): Call {
  const runId = newToken();
  const context = { id: runId, ts: new Date().toISOString(), deadline: Date.now() + DEADLINE_MS };
  return {
    kind: "step",
    deadlineMs: DEADLINE_MS,
    runId,
    origins: [ACTIONS_ORIGIN],
    instance: { sourceId: "", props: "{}", endpoints: {}, db: {}, additional: "" },
    step: {
      name: "program",
      steps: "{}",
      context: JSON.stringify(context),
      isComputed: false,
      resumeUrl: "",
      cancelUrl: "",
      room: MAX_RESULT_BYTES,
      isAlone: true,
    },
  };
}

/** Never rejects: a crash of the isolate is a failure. */
async function outcomeIn(invoked: Promise<Outcome>): Promise<Outcome> {
  const inTime = withTimeout(invoked, DEADLINE_MS + GRACE_MS, () => {
    throw new IsolateTimeout();
  });
  try {
    return await outcomeOf(inTime);
  } catch (error) {
    const message = errorMessage(error);
    return failedOutcome(startFailure(message) ?? newFailure("IsolateDied", message));
  }
}

/** Its side effects, such as messages to send, are dropped. */
function resultOf(
  { step, logs, uncaught = [], failure }: Outcome,
  calls: ProgramCall[],
): ProgramResult {
  const { $return_value: result = null }: Record<string, Json> = JSON.parse(step?.exports ?? "{}");
  const failed: Failure | undefined = failure ?? uncaught[0];
  return {
    result,
    ...(failed && { error: { name: failed.name, message: failed.message } }),
    logs: logs.map(({ level, message }) => ({ level, message })),
    calls,
  };
}
