import type { Withheld } from "./values.ts";

/** The file of a component: its path, or `new URL("./component.ts", import.meta.url)`. */
export type ComponentFile = string | URL;

/** Answers the requests that a component sends. `Response.error()` is a network that fails. */
export type Network = (request: Request) => Response | Promise<Response>;

/** The options for running any component. */
type Given = {
  /**
   * Values of its props by name; defaults are taken where there are any. An app has `{ $auth: { … } }`, a data store its records
   * by key.
   */
  props?: Record<string, unknown>;
  /** Without it the component has no network: a request is an error of the test. */
  fetch?: Network;
  /** The current time. It is frozen, except that timers advance it when they fire. Absent: the real clock. */
  now?: Date | number | string;
  /** How long it may run, 60,000 without it. A platform allows as much, or less. */
  timeoutMs?: number;
};

/** The options for running a source. */
export type SourceTest = Given & {
  /** The initial contents of `$.service.db`. */
  db?: Record<string, unknown>;
  /**
   * The argument of `run`. Absent fields of a request to `$.interface.http` are filled in. Without one: a tick of the timer where
   * there is one, else an empty request.
   */
  event?: unknown;
  /** A hook to run in place of `run`. */
  hook?: "deploy" | "activate" | "deactivate";
  /** The ids that `dedupe` knows, as an earlier run returned them. */
  seen?: Seen;
};

/** The options for running an action. */
export type ActionTest = Given & {
  /** The exports of the steps before it, by name. */
  steps?: Record<string, unknown>;
  /** Further members of `$.context`. */
  context?: Record<string, unknown>;
};

/** The ids that a dedupe strategy remembers. */
export type Seen = readonly { id: string; atMs: number }[];

/** An event that went out, and what was said of it. */
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
  /** Errors outside of `run` and hooks: of timers, of promises that nobody awaits, of emits without an id under `dedupe`. */
  uncaught: Thrown[];
  /** Records by prop and key. */
  stores: Record<string, Record<string, Withheld>>;
  /** Warnings that a deployment would return. */
  warnings: string[];
};

export type SourceResult = Left & {
  /** In the order in which they go out, without those that `dedupe` drops. */
  emits: Emit[];
  /** The contents of `$.service.db` afterwards. */
  db: Record<string, Withheld>;
  seen: Seen;
};

export type ActionResult = Left & {
  /** The return value of `run`. */
  ret: Withheld;
  /** Its exports, by name. */
  exports: Record<string, Withheld>;
  /** The reason that `$.flow.exit` was given; undefined where it was not called. */
  exit: string | undefined;
  /** The request of `$.flow.delay`, `suspend` or `rerun`. */
  pause: { kind: "delay" | "suspend" | "rerun"; ms: number; context?: Withheld } | undefined;
  /** The arguments of `$.send`. */
  sends: { kind: "emit" | "sse" | "http" | "email" | "s3"; message: Withheld }[];
  /** The arguments of `$.flow.trigger`. */
  triggers: { workflowId: string; event: Withheld }[];
};

/** Run a source, or one of its hooks, once in the runtime of the platform. Throws where it cannot be run at all. */
export declare function testSource(file: ComponentFile, test?: SourceTest): Promise<SourceResult>;

/** Run an action once, as a step of a workflow, in the runtime of the platform. Throws where it cannot be run at all. */
export declare function testAction(file: ComponentFile, test?: ActionTest): Promise<ActionResult>;
