import type { StoreReply, StoreRequest } from "#domain/data-store.ts";
import type { HookName } from "#domain/definition.ts";
import type { Emission, Failure, LogLine } from "#domain/invocation.ts";
import type { Lockfile } from "#domain/lockfile.ts";
import type { StashFile } from "#domain/stash.ts";
import type { Pause } from "#domain/workflows.ts";
import type { CustomResponse } from "#http/custom-response.ts";

/** A change to `$.service.db`: JSON text by key; null deletes the key. */
export type DbWrites = Record<string, string | null>;

/** The data from which the harness builds `this`. */
export type Instance = {
  /** Empty before the source exists. */
  sourceId: string;
  /** JSON text of the configured props by name. */
  props: string;
  /** URL by the name of each HTTP interface prop. */
  endpoints: Record<string, string>;
  /** JSON text by key: all of `$.service.db`. */
  db: Record<string, string>;
  /** JSON text of the definitions of the props from `additionalProps`; empty without any. */
  additional: string;
};

/**
 * One invocation. `event` is JSON text; `origins`: those of the platform; requests to them go through the host. The calls
 * of a group share one object as `instance`, which is serialized once.
 */
export type Call = { instance: Instance; runId: string; deadlineMs: number; origins?: string[] } & (
  | { kind: "run"; event: string }
  | { kind: "hook"; hook: HookName }
  | { kind: "step"; step: StepTask }
);

/** The input of a workflow's step, without the props that are not computed. */
type StepTask = {
  name: string;
  /** JSON text of `steps`: the trigger, and the exports of earlier steps, by name. */
  steps: string;
  /** JSON text of `$.context`. */
  context: string;
  /** Whether some props are computed by the module of expressions. */
  isComputed: boolean;
  resumeUrl: string;
  cancelUrl: string;
  /** Maximum bytes of JSON that it may export. */
  room: number;
  /** Whether it is an action that runs without a workflow. */
  isAlone?: boolean;
  /** The initial content of /tmp; absent: its final content is discarded. */
  files?: StashFile[];
};

/** A message that is sent after its step ends. `message` is JSON text. */
export type SideEffect = { kind: "emit" | "sse" | "http" | "email" | "s3"; message: string };

/** The result of a workflow's step. */
export type StepResult = {
  /** JSON text of the exports by name; `$return_value` is the return value of `run`. */
  exports: string;
  /** The results of expressions, as JSON text by prop, and whether some are truncated; absent without any. */
  input?: { values: string; isCut: boolean };
  /** The reason of `$.flow.exit`; absent if the step did not call it. */
  exit?: string;
  pause?: Pause;
  sideEffects: SideEffect[];
  /** All files of /tmp, if they are stored. */
  files?: StashFile[];
};

/** The outcome of one invocation. */
export type Outcome = {
  emitted: Emission[];
  db: DbWrites;
  logs: LogLine[];
  /** Uncaught errors outside of `run`: of timers, and of promises that were not awaited. */
  uncaught?: Failure[];
  /** The argument of the first `respond()`; absent if it was not called. */
  response?: CustomResponse;
  failure?: Failure;
  /** Only for a step. */
  step?: StepResult;
  /** The part of its budget that requests and triggers received, counted by the host. */
  spent?: number;
};

/** The kind of an evaluation: all props of a component, its configuration, or the choices of one prop. */
export type PropQuery =
  | { kind: "props" }
  /** The props with everything that depends on their values, such as the names of a source's trigger events. */
  | { kind: "configuration" }
  /** `input`: JSON text of `page`, `prevContext` and `query`. */
  | { kind: "options"; prop: string; input: string };

/**
 * A request for an evaluation with the current configuration. `previous`: JSON text of the props that `additionalProps`
 * returned before.
 */
export type PropRequest = {
  instance: Instance;
  deadlineMs: number;
  previous: string;
  origins?: string[];
} & PropQuery;

/** The result of an evaluation as JSON text, or its failure. */
export type Evaluation = { ok: true; value: string } | { ok: false; failure: Failure };

/** The capabilities of one invocation while it runs, which depend on its kind. */
export type Capabilities = {
  /** Commit one key of `$.service.db` at once. Only for hooks. */
  setDb(key: string, value: string | null): Promise<void>;
  /** Respond to the HTTP caller at once. */
  respond(response: CustomResponse): Promise<void>;
  /** Begin a run of another workflow, with JSON text as its event. Only for steps. */
  trigger(workflowId: string, event: string): Promise<Triggered>;
};

/**
 * The host of one invocation, for its isolate. `fetch` sends a request to the platform itself; `renewToken` returns the
 * replacement of an access token that a provider refused, or null.
 */
export type Host = Capabilities & {
  fetch(request: Request): Promise<Response>;
  renewToken(refused: string): Promise<string | null>;
};

/** The capability to use a component's data stores, each by the name of its prop. */
export type DataStores = { perform(prop: string, request: StoreRequest): Promise<StoreReply> };

/** Whether a workflow was triggered. */
export type Triggered = { ok: true } | { ok: false; message: string };

/** Receives the outcomes of a group of runs, one by one, by their index; also the host of each run. */
export type Sink = {
  done(index: number, outcome: Outcome): Promise<void>;
  fetch(index: number, request: Request): Promise<Response>;
  renewToken(index: number, refused: string): Promise<string | null>;
};

/** A component's code in an isolate. The adapter decides where that isolate runs. */
export type UserCode = {
  /**
   * Execute the module and return its definition: a `ComponentDefinition`. `onlyIfUnused`: fail with `IsolateUsed` if
   * the isolate has executed it before, because that may have changed it.
   */
  describe(onlyIfUnused?: boolean): Promise<Evaluation>;
  /**
   * A `ComponentDefinition` with the props of `additionalProps`; or the choices of a prop, null if the prop does not
   * exist.
   */
  evaluateProps(request: PropRequest, stores?: DataStores, host?: Host): Promise<Evaluation>;
  invoke(call: Call, host?: Host, stores?: DataStores): Promise<Outcome>;
  /**
   * Run several events in one call, in order (each then sees the earlier writes to `db`) or side by side. Quick ones
   * are returned together; if some take longer, the result is empty and each outcome is sent to `sink` at its end.
   */
  invokeAll(calls: Call[], inOrder: boolean, sink: Sink, stores?: DataStores): Promise<Outcome[]>;
};

/** A bundle: code, source map and packages. */
export type Bundle = {
  /** SHA-256 in hex over everything that determines the behaviour of the code. */
  hash: string;
  /** One ES module whose default export is the component. */
  code: string;
  /** Its own CommonJS files that are not strict, by the name of their module; absent without any. */
  ownFiles?: Record<string, string>;
  /** Source map of `code`, JSON text. */
  map: string;
  /**
   * The packages that `code` imports, as ES modules (or CommonJS, or base64 of `.wasm`) by name, and their common hash.
   * `parts`: the number of objects of the store with further modules.
   */
  dependencies: { hash: string; modules: Record<string, string>; parts?: number };
  /** The names and versions of those packages. */
  lockfile: Lockfile;
  /** Characters of code in its packages, if they are too large to be compiled as a whole. */
  packageCharacters?: number;
  /** Whether it may open TCP connections; absent in bundles of older releases. */
  mayConnect?: boolean;
  /** Whether `code` names `respond`; absent in bundles of older releases. */
  namesRespond?: boolean;
};
