import type { Shape } from "./shapes.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- answers have every shape; each is checked by its own.
export type Answer = any;

/** Values for arguments: of the world, and of earlier answers. */
export type Made = Record<string, string>;

/** A method of the Python SDK: the request that it sends, and what it parses. */
export type PythonCall = {
  /** The resource and the method. */
  call: string;
  /** Verb and path. A name in braces is an argument or a value of `made`; `project` is the client's own. */
  request: string;
  /** The arguments in the query. The others that are not in the path are the JSON body. */
  query?: readonly string[];
  args?: (made: Made) => Record<string, unknown>;
  /** What the model requires of the answer; absent: the SDK reads none. */
  answer?: Shape;
  /** Whether the SDK returns only `data` of the answer. */
  unwraps?: true;
  /** Values for later calls, by their paths in the answer. */
  made?: Record<string, string>;
  check?: (answer: Answer, made: Made) => boolean;
};
