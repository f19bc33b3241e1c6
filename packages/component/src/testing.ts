import type { Withheld } from "./values.ts";

/** The file of a component: its path, or `new URL("./component.ts", import.meta.url)`. */
export type ComponentFile = string | URL;

/** Answers the requests that a component sends. `Response.error()` is a network that fails. */
export type Network = (request: Request) => Response | Promise<Response>;

/** What any component is run with. */
type Given = {
  /**
   * Values of its props by name; defaults are taken where there are any. An app has `{ $auth: { … } }`, a data store its records
   * by key.
   */
  props?: Record<string, unknown>;
  /** Without it the component has no network: a request is an error of the test. */
  fetch?: Network;
  /** What time it is. It stands still but for timers, which move it on when they fire. Without it, the clock runs. */
  now?: Date | number | string;
  /** How long it may run, 60,000 without it. A platform allows as much, or less. */
  timeoutMs?: number;
};

/** What a source is run with. */
export type SourceTest = Given & {
  /** What `$.service.db` holds. */
  db?: Record<string, unknown>;
  /**
   * What `run` gets. Of a request to `$.interface.http`, what is left out is filled in. Without one: a tick of the timer where
   * there is one, else an empty request.
   */
  event?: unknown;
  /** A hook to run in place of `run`. */
  hook?: "deploy" | "activate" | "deactivate";
  /** The ids that `dedupe` knows, as an earlier run returned them. */
  seen?: Seen;
};

/** What an action is run with. */
export type ActionTest = Given & {
  /** The exports of the steps before it, by name. */
  steps?: Record<string, unknown>;
  /** What `$.context` has beside what it always has. */
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

/** What was given to `respond()`: the first counts. */
export type Responded = {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
};

/** What any run leaves. */
type Left = {
  logs: Log[];
  response: Responded | undefined;
  /** What was thrown and not caught; undefined where it succeeded. */
  error: Thrown | undefined;
  /** Errors outside of `run` and hooks: of timers, of promises that nobody awaits, of emits without an id under `dedupe`. */
  uncaught: Thrown[];
  /** Records by prop and key. */
  stores: Record<string, Record<string, Withheld>>;
  /** What the platform would warn of when it is deployed. */
  warnings: string[];
};

export type SourceResult = Left & {
  /** In the order in which they go out, without those that `dedupe` drops. */
  emits: Emit[];
  /** What `$.service.db` holds afterwards. */
  db: Record<string, Withheld>;
  seen: Seen;
};

export type ActionResult = Left & {
  /** What `run` returned. */
  ret: Withheld;
  /** What it exported, by name. */
  exports: Record<string, Withheld>;
  /** The reason that `$.flow.exit` was given; undefined where it was not called. */
  exit: string | undefined;
  /** What `$.flow.delay`, `suspend` or `rerun` asked for. */
  pause: { kind: "delay" | "suspend" | "rerun"; ms: number; context?: Withheld } | undefined;
  /** What was given to `$.send`. */
  sends: { kind: "emit" | "sse" | "http" | "email" | "s3"; message: Withheld }[];
  /** What was given to `$.flow.trigger`. */
  triggers: { workflowId: string; event: Withheld }[];
};

/** Run a source, or one of its hooks, once in the runtime of the platform. Throws where it cannot be run at all. */
export declare function testSource(file: ComponentFile, test?: SourceTest): Promise<SourceResult>;

/** Run an action once, as a step of a workflow, in the runtime of the platform. Throws where it cannot be run at all. */
export declare function testAction(file: ComponentFile, test?: ActionTest): Promise<ActionResult>;
