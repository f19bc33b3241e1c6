import { usedUp } from "#domain/quotas.ts";
import { rejectionOf } from "#durable-objects/emitter/admission.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";

import type {
  StepExecution,
  NewRun,
  RunOrderResult,
  RerunOrder,
  RunOrder,
  WorkflowDeployment,
} from "./contract.ts";
import type { Deployments } from "./deployments.ts";
import type { RunCommitter } from "./run-committer.ts";
import type { RunHistory } from "./run-history.ts";
import { traceIdOf } from "./run-rows.ts";
import type { Runs } from "./runs.ts";

type Deps = {
  deployments: Deployments;
  runs: Runs;
  runHistory: RunHistory;
  committer: RunCommitter;
  meter: Meter;
};

/** Begins runs of a workflow on request: new ones, and repetitions of others. */
export class ManualRuns {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Begin a run on an event. It is durable when this resolves. */
  run(order: RunOrder): Promise<RunOrderResult> {
    return this.#begin({ ...order, sourceType: "manual", emitterId: null });
  }

  /** Begin a run of the current version on the event of another run. */
  async rerun({ runId, fromStep, ...cause }: RerunOrder): Promise<RunOrderResult> {
    const { deployments, runs, runHistory } = this.#deps;
    const deployment = deployments.current();
    if (!deployment) return { ok: false, reason: "inactive" };
    const [earlier, row] = [runHistory.details(runId), runs.byId(runId)];
    if (!earlier || !row) return { ok: false, reason: "unknown_run" };
    const executions =
      fromStep === undefined ? [] : carriedTo(fromStep, deployment, runHistory.executions(runId));
    if (typeof executions === "string")
      return { ok: false, reason: "not_from_there", message: executions };
    const carried = executions.map((execution) => ({
      ...execution,
      resumption: runs.resumptions.of(earlier, execution.number),
    }));
    const { event, sourceType, emitterId } = earlier;
    const origin = { sourceType, emitterId, rerunOf: runId, traceId: traceIdOf(row) };
    return this.#begin({ ...cause, ...origin, event, carried });
  }

  async #begin(run: Omit<NewRun, "id">): Promise<RunOrderResult> {
    const { deployments, runs, committer, meter } = this.#deps;
    if (meter.isLimited()) await meter.refresh();
    if (!deployments.isActive()) return { ok: false, reason: "inactive" };
    const rejection = rejectionOf({ meter, backlog: runs });
    if (rejection?.reason === "overloaded") return { ok: false, reason: "overloaded" };
    if (rejection) return { ok: false, reason: rejection.reason, message: usedUp(rejection.quota) };
    const runId = crypto.randomUUID();
    committer.begin([{ ...run, id: runId }]);
    return { ok: true, runId };
  }
}

/**
 * The exports of the last successful executions of the steps before another; or the reason why a run cannot continue
 * from there.
 */
function carriedTo(
  fromStep: string,
  { steps }: WorkflowDeployment,
  executions: Iterable<StepExecution>,
): StepExecution[] | string {
  const index = steps.findIndex(({ name }) => name === fromStep);
  if (index === -1) return "is not a step of the current version";
  const before = steps.slice(0, index).map(({ name }) => name);
  const last = new Map<string, StepExecution>();
  for (const execution of executions) last.set(execution.name, execution);
  const missing = before.find((name) => last.get(name)?.failure !== null);
  if (missing !== undefined) return `the step "${missing}" before it did not succeed in that run`;
  return before.flatMap((name) => last.get(name) ?? []);
}
