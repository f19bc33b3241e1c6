import type { Failure, LogLine } from "#domain/invocation.ts";
import { fromJson, type JsonOf } from "#domain/json.ts";
import type { RunOrigin, RunState } from "#domain/workflows.ts";

import type { RunEnd, StepOutcome, StepReport } from "./contract.ts";

/** A run as stored. */
export type RunRow = {
  seq: number;
  id: string;
  deployment_id: string;
  version: number | null;
  source_type: RunOrigin["sourceType"];
  emitter_id: string | null;
  hops: number;
  budget: number | null;
  request_id: string | null;
  /** The run that it repeats. */
  rerun_of: string | null;
  trace_id: string | null;
  /** The number of executions of that run that it begins with. */
  carried: number;
  event: string;
  secret: string;
  state: RunState;
  /** The number of executed steps. */
  steps: number;
  queued_ms: number;
  started_ms: number | null;
  ended_ms: number | null;
  exit_reason: string | null;
  failure: JsonOf<Failure> | null;
};

/** The first run on the event of a run. */
export function traceIdOf({ id, rerun_of, trace_id }: RunRow): string {
  return trace_id ?? rerun_of ?? id;
}

/** The end of a run, its usage (null: none), and the execution that ends it, if there is one. */
export type RunEnding = RunEnd & {
  endedMs: number;
  computeMs: number | null;
  last?: StepReport | undefined;
};

/** An execution of a step as stored. */
export type StepRow = {
  number: number;
  name: string;
  started_ms: number;
  ended_ms: number;
  /** Without the exports, which have their own column; earlier releases stored them inside. */
  verdict: JsonOf<StoredOutcome>;
  exports: string | null;
  logs: JsonOf<LogLine[]>;
  /** Null if it had no props. */
  input: string | null;
  is_truncated: number | null;
};

/** The exports have their own column. */
export type StoredOutcome = Omit<StepOutcome, "exports"> & Partial<Pick<StepOutcome, "exports">>;

/** Read a stored outcome. */
export function storedOutcomeOf({
  verdict,
  exports,
}: Pick<StepRow, "verdict" | "exports">): StepOutcome {
  const kept = fromJson(verdict);
  return { ...kept, exports: exports ?? kept.exports ?? "{}" };
}
