import type { StoreReply, StoreRequest } from "#domain/data-store.ts";
import type { HookName } from "#domain/definition.ts";
import type { Emission, Failure, LogLine } from "#domain/invocation.ts";
import type { Lockfile } from "#domain/lockfile.ts";
import type { Pause } from "#domain/workflows.ts";
import type { CustomResponse } from "#http/custom-response.ts";

/** A change to `$.service.db`: JSON text, or null where the key goes. */
export type DbWrites = Record<string, string | null>;

/** Who runs: everything the harness needs to build `this`. Plain data. */
export type Instance = {
  /** Empty while there is no source yet. */
  sourceId: string;
  runId: string;
  /** JSON text of the configured props by name. */
  props: string;
  /** URL by the name of each HTTP interface prop. */
  endpoints: Record<string, string>;
  /** JSON text by key: all of `$.service.db`. */
  db: Record<string, string>;
  /** JSON text of the definitions of those props that `additionalProps` added; empty when there are none. */
  additional: string;
};

/** One invocation. `event` is JSON text; `origins`: where the platform is, which its host sends requests to. */
export type Call = { instance: Instance; deadlineMs: number; origins?: string[] } & (
  | { kind: "run"; event: string }
  | { kind: "hook"; hook: HookName }
  | { kind: "step"; step: StepTask }
);

/** What a step of a workflow is given, beside the props that are not computed. */
type StepTask = {
  name: string;
  /** JSON text of `steps`: the trigger, and what the steps before have exported, by name. */
  steps: string;
  /** JSON text of `$.context`. */
  context: string;
  /** Whether some props are computed by the module of expressions. */
  isComputed: boolean;
  resumeUrl: string;
  cancelUrl: string;
  /** How many bytes of JSON it may export. */
  room: number;
};

/** Something that a step sends once it has ended. `message` is JSON text of what it gave. */
export type SideEffect = { kind: "emit" | "sse" | "http" | "email" | "s3"; message: string };

/** What a step of a workflow came to. */
export type StepResult = {
  /** JSON text of what was exported, by name; `$return_value` is what `run` returned. */
  exports: string;
  /** The reason to end the whole workflow, where the step asked for that. */
  exit?: string;
  pause?: Pause;
  sideEffects: SideEffect[];
};

/** What one invocation came to. */
export type Outcome = {
  emitted: Emission[];
  db: DbWrites;
  logs: LogLine[];
  /** What was thrown beside `run` and caught by nobody: by a timer, by a promise that nobody waited for. */
  uncaught?: Failure[];
  /** What `respond()` was called with first, if it was. */
  response?: CustomResponse;
  failure?: Failure;
  /** Of a step only. */
  step?: StepResult;
  /** How many runs of its budget went to requests and triggers. The host knows: no isolate is asked. */
  spent?: number;
};

/** What is evaluated of a component: all its props, its configuration by them, or the choices of one prop. */
export type PropQuery =
  | { kind: "props" }
  /** The props with all that depends on their values: the names of events that wake a source. */
  | { kind: "configuration" }
  /** `input`: JSON text of `page`, `prevContext` and `query`. */
  | { kind: "options"; prop: string; input: string };

/** A request for an evaluation, by what is configured so far. `previous`: JSON text of the props that `additionalProps` added before. */
export type PropRequest = {
  instance: Instance;
  deadlineMs: number;
  previous: string;
  origins?: string[];
} & PropQuery;

/** What an evaluation returned, as JSON text, or why it failed. */
export type Evaluation = { ok: true; value: string } | { ok: false; failure: Failure };

/** What one invocation may do while it runs, by its kind. */
export type Capabilities = {
  /** Commit one key of `$.service.db` at once. Only hooks are given this. */
  setDb(key: string, value: string | null): Promise<void>;
  /** Respond to the HTTP caller at once. */
  respond(response: CustomResponse): Promise<void>;
  /** Begin a run of another workflow, with JSON text as its event. Only steps are given this. */
  trigger(workflowId: string, event: string): Promise<Triggered>;
};

/** The host of one invocation, as its isolate sees it. `fetch` sends a request to the platform itself. */
export type Host = Capabilities & { fetch(request: Request): Promise<Response> };

/** The capability to use the data stores that a component was given, each by the name of its prop. */
export type DataStores = { perform(prop: string, request: StoreRequest): Promise<StoreReply> };

/** Whether a workflow was there to be triggered. */
export type Triggered = { ok: true } | { ok: false; message: string };

/** Takes the outcomes of a group of runs, one by one, by their place in the group; and sends their requests to the platform. */
export type Sink = {
  done(index: number, outcome: Outcome): Promise<void>;
  fetch(index: number, request: Request): Promise<Response>;
};

/** A component's code in an isolate. Where that isolate lives is the adapter's business. */
export type UserCode = {
  /**
   * Execute the module and return its definition: a `ComponentDefinition`. `onlyIfUnused`: fail with `IsolateUsed` where
   * the isolate executed it before, for that may have changed it.
   */
  describe(onlyIfUnused?: boolean): Promise<Evaluation>;
  /** A `ComponentDefinition` with what `additionalProps` adds; or the choices of a prop, null where there is no such. */
  evaluateProps(request: PropRequest, stores?: DataStores, host?: Host): Promise<Evaluation>;
  invoke(call: Call, host?: Host, stores?: DataStores): Promise<Outcome>;
  /**
   * Run several events in one call, in order (each then sees what the one before set in `db`) or side by side.
   * Quick ones come back together as the result; when some take longer, the result is empty and each outcome
   * goes to `sink` when it is known.
   */
  invokeAll(calls: Call[], inOrder: boolean, sink: Sink, stores?: DataStores): Promise<Outcome[]>;
};

/** What a bundle is made of. */
export type Bundle = {
  /** SHA-256 in hex over everything that decides how the code behaves. */
  hash: string;
  /** One ES module whose default export is the component. */
  code: string;
  /** Source map of `code`, JSON text. */
  map: string;
  /**
   * The packages that `code` imports, as ES modules (or CommonJS, or base64 of `.wasm`) by name, and the hash that names
   * them all. `parts`: how many objects of the store hold modules that are not here.
   */
  dependencies: { hash: string; modules: Record<string, string>; parts?: number };
  /** Which versions of which packages those are. */
  lockfile: Lockfile;
  /** How much code is in its packages, where they are too large to be compiled as a whole. */
  packageCharacters?: number;
  /** Whether it may open TCP connections; absent of what was made before that was noted. */
  mayConnect?: boolean;
};
