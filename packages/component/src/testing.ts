import type { Withheld } from "./values.ts";

/** The file of a component: its path, or `new URL("./component.ts", import.meta.url)`. */
export type ComponentFile = string | URL;

/** Responds to a component's requests. `Response.error()` is a network failure. */
export type Network = (request: Request) => Response | Promise<Response>;

/** The options for running any component. */
type Given = {
  /**
   * Values of its props by name; the others have their defaults. An app has `{ $auth: { … } }`, a data store its
   * records by key.
   */
  props?: Record<string, unknown>;
  /** Without it the component has no network: a request is an error of the test. */
  fetch?: Network;
  /** The current time. It is frozen, except that timers advance it when they fire. Absent: the real clock. */
  now?: Date | number | string;
  /** Maximum time of the run; 60,000 by default. The limit of a platform is the same or lower. */
  timeoutMs?: number;
};

/** The options for running a source. */
export type SourceTest = Given & {
  /** The initial content of `$.service.db`. */
  db?: Record<string, unknown>;
  /**
   * The argument of `run`. Absent fields of a request to `$.interface.http` are filled in. By default: a tick of the
   * timer if there is one, else an empty request.
   */
  event?: unknown;
  /** A hook to run instead of `run`. */
  hook?: "deploy" | "activate" | "deactivate";
  /** The known ids of `dedupe`, returned by an earlier run. */
  seen?: Seen;
};

/** The options for running an action. */
export type ActionTest = Given & {
  /** The exports of earlier steps, by name. */
  steps?: Record<string, unknown>;
  /** Further members of `$.context`. */
  context?: Record<string, unknown>;
};

/** The stored ids of a dedupe strategy. */
export type Seen = readonly { id: string; atMs: number }[];

/** An emitted event and its metadata. */
export type Emit = {
  event: Withheld;
  id?: string;
  name?: string;
  summary?: string;
  ts?: number;
  delivery_ts?: number;
};

export type Log = { level: string; message: string };

export type Thrown = { name: string; message: string; stack: string };

/** The argument of the first `respond()`. */
export type Responded = {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
};

/** The outcome of any run. */
type Left = {
  logs: Log[];
  response: Responded | undefined;
  /** The uncaught error; undefined if it succeeded. */
  error: Thrown | undefined;
  /** Errors outside of `run` and hooks: of timers, unawaited promises, and emits without an id under `dedupe`. */
  uncaught: Thrown[];
  /** Records by prop and key. */
  stores: Record<string, Record<string, Withheld>>;
  /** Warnings that a deployment would return. */
  warnings: string[];
};

export type SourceResult = Left & {
  /** In the order of emission, without those that `dedupe` drops. */
  emits: Emit[];
  /** The final content of `$.service.db`. */
  db: Record<string, Withheld>;
  seen: Seen;
};

export type ActionResult = Left & {
  /** The return value of `run`. */
  ret: Withheld;
  /** Its exports, by name. */
  exports: Record<string, Withheld>;
  /** The reason of `$.flow.exit`; undefined if it was not called. */
  exit: string | undefined;
  /** The request of `$.flow.delay`, `suspend` or `rerun`. */
  pause: { kind: "delay" | "suspend" | "rerun"; ms: number; context?: Withheld } | undefined;
  /** The arguments of `$.send`. */
  sends: { kind: "emit" | "sse" | "http" | "email" | "s3"; message: Withheld }[];
  /** The arguments of `$.flow.trigger`. */
  triggers: { workflowId: string; event: Withheld }[];
};

/** Run a source, or one of its hooks, once in the runtime of the platform. Throws if it cannot run at all. */
export declare function testSource(file: ComponentFile, test?: SourceTest): Promise<SourceResult>;

/** Run an action once, as a step of a workflow, in the runtime of the platform. Throws if it cannot run at all. */
export declare function testAction(file: ComponentFile, test?: ActionTest): Promise<ActionResult>;
