import type { Home } from "#sandbox/dispatch-namespace.ts";
import type { ScriptKey, ScriptLabels } from "#sandbox/script.ts";

/** A script that a caller needs. */
export type ScriptRequest = ScriptKey & {
  labels?: ScriptLabels | undefined;
  /** Whether a call has just found it missing from the namespace. */
  isMissing?: boolean;
};

/** A script in the namespace, and its bundle. */
export type KnownScript = ScriptKey & { name: string };

/** A script with a checked use. */
export type CheckedScript = { name: string; isUsed: boolean };

/** The methods of the object that manages a dispatch namespace. */
export type ScriptsControl = {
  /** Make a script callable in the namespace: it is uploaded unless it is there. Never throws for errors of the API. */
  provide(request: ScriptRequest): Promise<Home>;
  /** The scripts with the oldest check of their use. */
  leastChecked(limit: number): Promise<KnownScript[]>;
  /** Record the scripts in use, and delete those unused for a day. Returns the number of deleted ones. */
  settle(checked: CheckedScript[]): Promise<number>;
};
