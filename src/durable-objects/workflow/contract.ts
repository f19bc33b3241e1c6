import type { PropDefinition } from "#domain/definition.ts";
import type { EventPage, EventPart, EventQuery } from "#domain/events.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import type { Failure, LogLine } from "#domain/invocation.ts";
import type { JsonOf } from "#domain/json.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import type { Values } from "#domain/props.ts";
import type { Schedule, Tick } from "#domain/schedule.ts";
import type {
  EndState,
  Pause,
  RunOrigin,
  RunState,
  StepRetries,
  TriggerContext,
} from "#domain/workflows.ts";
import type { CustomResponse } from "#http/custom-response.ts";
import type { ScriptLabels } from "#sandbox/script.ts";
import type { OutboundMessage } from "#sandbox/side-effects.ts";
import type { DbWrites } from "#sandbox/user-code.ts";
import type { Plan } from "#sandbox/worker-loader.ts";

/** A deployment of a workflow: everything that its runs use. Runs in flight finish on the one they began with. */
export type WorkflowDeployment = {
  id: Id<"deployment">;
  workflowId: Id<"workflow">;
  ownerId: OwnerId;
  /** The version that it deploys; absent on deployments from before there were versions: it is the first. */
  version?: number;
  /** An earlier one that arrives late changes nothing. Absent on older deployments. */
  deployedMs?: number;
  /** The owner's plan at the deployment; absent on older deployments. */
  plan?: Plan;
  name: string;
  /** Key of the endpoint of an HTTP trigger. */
  endpointKey: string | null;
  /** Of a timer trigger. */
  schedule: Schedule | null;
  steps: PlannedStep[];
  /** The origin of its URLs. */
  origin: string;
};

/** A planned step: a bundle and its props. */
export type PlannedStep = {
  name: string;
  bundleHash: string;
  /** The labels of its script. */
  labels?: ScriptLabels;
  props: Pick<PropDefinition, "name" | "type">[];
  /** JSON text of the definitions of props that `additionalProps` added; empty if there are none. */
  additional: string;
  /** Values of the props that are not computed; without secrets. */
  values: Values;
  /** The values of `secret` props, each sealed. */
  sealed?: Record<string, string>;
  /** The names of its `secret` props; absent on older deployments. */
  secrets?: string[];
  /** The module that computes the others. */
  expressions: { hash: string; code: string } | null;
  /** Null: a failed run is not retried. */
  retries: StepRetries | null;
  /** False: its code never names `respond`. Absent: it may; so it is on older deployments. */
  namesRespond?: boolean;
};

/** The run of an engine's instance. */
export type RunTicket = { workflowId: Id<"workflow">; runId: string };

/** The plan of a run. `event` is JSON text. */
export type RunPlan = {
  deployment: WorkflowDeployment;
  event: string;
  context: TriggerContext;
  /** The secret that signs the URLs of its pauses. */
  secret: string;
  hops: number;
  /** The maximum number of runs, its own and all that it causes; absent: the maximum of a trigger. */
  budget?: number | undefined;
  requestId?: string | undefined;
  /** The number of executions of an earlier run that it begins with; absent: none. */
  carried?: number | undefined;
};

/**
 * The outcome of one execution of a step: the engine stores it under these field names, and never executes the step
 * again.
 */
export type StepOutcome = {
  /** JSON text of the exports, by name. */
  exports: string;
  failure: Failure | null;
  pause: Pause | null;
  /** Messages that the workflow's object has not stored. The engine and the `steps` table store this name. */
  parcels: OutboundMessage[];
  /** The end of the run after this step, if it ends. */
  ends: EndState | null;
  /** The part of the budget of runs that its triggers, requests, messages and events used. */
  spent?: number;
};

/** The props of an execution as its owner sees them: JSON text by name. */
export type KeptInput = { values: string; isTruncated: boolean };

/** One execution of a step, as reported to the workflow. `number` counts the executions of its run from 1. */
export type StepReport = {
  number: number;
  name: string;
  input: KeptInput;
  startedMs: number;
  endedMs: number;
  /** Named as the column that stores it. */
  verdict: StepOutcome;
  logs: LogLine[];
  /** The values that it set in its `$.service.db`. */
  db: DbWrites;
  /** Uncaught errors that were thrown beside the step. */
  uncaught: Failure[];
  /** The response to its HTTP caller. */
  response: CustomResponse | null;
  emits: Sent[];
  /** Messages to open event streams of the workflow; they are not stored. */
  streamed: Sent[];
  /** The reason for an early end of the run, if the step gave one. */
  exitReason: string | null;
  /** The end of the pause, if the run pauses. */
  wakeMs: number | null;
};

/** An event that a step sends to a channel. `payload` is JSON text. */
export type Sent = { channel: string; payload: string; budget?: number };

/** A message of a step as its owner sees it; `attempts` counts the completed ones, `error` is that of the last. */
export type SentMessage = {
  kind: OutboundMessage["kind"];
  target: string;
  state: "pending" | "sent" | "failed";
  attempts: number;
  error: string | null;
};

/** The messages of an execution. */
export type StepMessages = { number: number; step: string; messages: OutboundMessage[] };

/** The request that ended the pause after an execution, JSON text: `$resume_data`. */
export type KeptResumption = { number: number; request: string };

/** The end of a run, and the step in which it ended. */
export type RunEnd = { state: EndState; failure: Failure | null; step: string | null };

/** An event for a workflow to run on. `event` is JSON text; the same id is the same run. */
export type NewRun = RunOrigin & {
  id: string;
  event: string;
  hops: number;
  /** The number of runs that it may cause, its own included; absent: the maximum of a trigger. */
  budget?: number | undefined;
  /** The id of the first request or tick, to trace an event in the log. */
  requestId?: string | undefined;
  /** The run that this one repeats, and the executions that it need not repeat, in their order. */
  rerunOf?: string | undefined;
  /** The first run on the event; absent: this one. */
  traceId?: string | undefined;
  carried?: readonly CarriedStep[] | undefined;
};

/** A step that succeeded in an earlier run, and is not executed again. `exports` is JSON text. */
export type CarriedStep = Pick<
  StepExecution,
  "name" | "input" | "startedMs" | "endedMs" | "exports"
> & {
  /** The request that ended its pause, JSON text. */
  resumption?: string | undefined;
};

/** The cause of an order to run a workflow. */
type OrderCause = Pick<NewRun, "hops" | "budget" | "requestId">;

/** An order to run a workflow now, on an event (JSON text). */
export type RunOrder = OrderCause & { event: string };

/** An order to repeat a run: from its start, or from a step of the current version on. */
export type RerunOrder = OrderCause & { runId: string; fromStep: string | undefined };

/** The run of an order, or the reason why there is none. */
export type RunOrderResult =
  | { ok: true; runId: string }
  | { ok: false; reason: "inactive" | "overloaded" | "unknown_run" }
  | { ok: false; reason: "quota_exceeded" | "not_from_there"; message: string };

/**
 * An order to end the pause of a run: to resume or to cancel it. `request` is JSON text of the event that steps see.
 */
export type PauseOrder = { runId: string; action: "resume" | "cancel"; request: string };

/** The result of such an order. */
export type PauseOrderResult = "ended" | "unknown_run" | "not_waiting" | "too_large";

/** A run as its owner sees it in a list. */
export type RunSummary = RunOrigin & {
  seq: number;
  id: string;
  deploymentId: string;
  /** The version of the run; null: it began before there were versions. */
  version: number | null;
  state: RunState;
  queuedMs: number;
  startedMs: number | null;
  endedMs: number | null;
  exitReason: string | null;
  failure: Failure | null;
  /** The run that it repeats; null: it repeats none. */
  rerunOf: string | null;
};

/** One execution of a step: a retried or repeated step has several. */
export type StepExecution = {
  number: number;
  name: string;
  input: KeptInput;
  startedMs: number;
  endedMs: number;
  /** JSON text of the exports, by name. */
  exports: string;
  failure: Failure | null;
  /** The kind of pause that it requested. */
  pause: Pause["kind"] | null;
  logs: LogLine[];
  messages: SentMessage[];
  /** Whether it was executed in the run that this one repeats. */
  isCarried: boolean;
};

/**
 * Executions of a run, as many as fit into one call; `next`: the number to continue from, null if these are the last.
 */
export type ExecutionPart = { executions: StepExecution[]; next: number | null };

/** A run with its executions, as many as fit into one call. `event` is JSON text. */
export type RunDetails = RunSummary & { event: string } & ExecutionPart;

/** A version of a workflow that is in use, and the bundles of its steps. */
export type CodeInUse = { deploymentId: Id<"deployment">; bundleHashes: string[] };

/** The methods of `WorkflowObject` that the control plane may call. */
export type WorkflowControl = {
  deploy(deployment: WorkflowDeployment, active: boolean): Promise<void>;
  /** The version that new runs begin with; null if nothing is deployed. */
  current(): Promise<JsonOf<WorkflowDeployment> | null>;
  /** The versions in use: the one that new runs begin with, and those of runs under way. */
  code(): Promise<CodeInUse[]>;
  /** End every run that is under way, then erase everything. */
  remove(): Promise<void>;
  /** Reload the rest of the owner's quotas, because they have changed. */
  refreshQuotas(): Promise<void>;
  /** Check soon for lost accounts, because accounts have changed. */
  checkAccounts(): Promise<void>;
  /** Rewrap its secrets with the current master key. */
  rewrap(): Promise<boolean>;
  /**
   * Restore a missing alarm, and alert the owner of timers that missed two ticks. Returns the next ticks of all timers.
   */
  checkTimers(): Promise<Tick[]>;
  /** Set the needed alarm if it was lost. Returns whether it was. */
  keepAlarm(): Promise<boolean>;
  /** Resume work that a crash of the process interrupted, without waiting for the alarm. */
  recover(): Promise<void>;
  events(query: EventQuery): Promise<EventPage>;
  /** Continue reading a page of events. */
  eventsAt(ids: string[], expand: boolean): Promise<EventPart>;
  runs(request: PageRequest): Promise<Page<RunSummary>>;
  run(runId: string): Promise<RunDetails | null>;
  /** The executions of a run from a number on. */
  executions(runId: string, from: number): Promise<ExecutionPart>;
  runNow(order: RunOrder): Promise<RunOrderResult>;
  rerun(order: RerunOrder): Promise<RunOrderResult>;
  endPause(order: PauseOrder): Promise<PauseOrderResult>;
};
