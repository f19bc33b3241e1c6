import type { StoreReply, StoreRequest } from "../domain/data-store.ts";
import type { HookName } from "../domain/definition.ts";
import type { Emission, Failure, LogLine } from "../domain/invocation.ts";
import type { Lockfile } from "../domain/lockfile.ts";

/** What `respond()` was given, made sendable. */
export type CustomResponse = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
};

/** A change to `$.service.db`: JSON text, or null where the key goes. */
export type DbWrites = Record<string, string | null>;

/** Who runs: everything the harness needs to build `this`. Plain data. */
export type Instance = {
  sourceId: string;
  runId: string;
  /** JSON text of the configured props by name. */
  props: string;
  /** URL by the name of each HTTP interface prop. */
  endpoints: Record<string, string>;
  /** JSON text by key: all of `$.service.db`. */
  db: Record<string, string>;
};

/** One invocation. `event` is JSON text. */
export type Call = { instance: Instance; deadlineMs: number } & (
  | { kind: "run"; event: string }
  | { kind: "hook"; hook: HookName }
);

/** What one invocation came to. */
export type Outcome = {
  emitted: Emission[];
  db: DbWrites;
  logs: LogLine[];
  /** What `respond()` was called with first, if it was. */
  response?: CustomResponse;
  failure?: Failure;
};

/** What a component's module says of itself, as JSON text of a `ComponentDefinition`, or why it cannot. */
export type Description = { ok: true; definition: string } | { ok: false; failure: Failure };

/** The capabilities that one invocation may use while it runs. */
export type Host = {
  /** Commit one key of `$.service.db` at once. Only hooks are given this. */
  setDb(key: string, value: string | null): Promise<void>;
  /** Answer the HTTP caller at once. */
  respond(response: CustomResponse): Promise<void>;
};

/** The capability to use the data stores that a component was given, each by the name of its prop. */
export type DataStores = { ask(prop: string, request: StoreRequest): Promise<StoreReply> };

/** Takes the outcomes of a group of runs, one by one, by their place in the group. */
export type Sink = { done(index: number, outcome: Outcome): Promise<void> };

/** A component's code in an isolate. Where that isolate lives is the adapter's business. */
export type UserCode = {
  /** Execute the module and tell its definition; with configured props (JSON text), `additionalProps` too. */
  describe(props?: string, stores?: DataStores): Promise<Description>;
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
  /** The packages that `code` imports, as ES modules (or base64 of `.wasm`) by name, and the hash that names them all. */
  dependencies: { hash: string; modules: Record<string, string> };
  /** Which versions of which packages those are. */
  lockfile: Lockfile;
};
