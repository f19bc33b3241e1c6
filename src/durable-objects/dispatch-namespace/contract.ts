import type { Home } from "#sandbox/dispatch-namespace.ts";
import type { ScriptKey, ScriptLabels } from "#sandbox/script.ts";

/** A script that somebody needs. */
export type ScriptRequest = ScriptKey & {
  labels?: ScriptLabels | undefined;
  /** Whether a call has just found it missing from the namespace. */
  isMissing?: boolean;
};

/** A script in the namespace, and its bundle. */
export type KnownScript = ScriptKey & { name: string };

/** A script whose use was looked up. */
export type CheckedScript = { name: string; isUsed: boolean };

/** The methods of the object that keeps a dispatch namespace. */
export type ScriptsControl = {
  /** Have a script in the namespace, callable: it is uploaded unless it is there. Never throws for errors of the API. */
  provide(request: ScriptRequest): Promise<Home>;
  /** Scripts whose use was looked up longest ago. */
  leastChecked(limit: number): Promise<KnownScript[]>;
  /** Record the scripts in use, and delete those unused for a day. Returns how many were deleted. */
  settle(checked: CheckedScript[]): Promise<number>;
};
