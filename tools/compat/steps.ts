/** The steps of a trial, in order. */
export const STEPS = [
  "fetch",
  "bundle",
  "evaluate",
  "define",
  "options",
  "props",
  "hook",
  "run",
  "deactivate",
  "timeout",
  "platform",
] as const;
export type Step = (typeof STEPS)[number];

/** The steps of saving a component. */
export const SAVING: ReadonlySet<Step> = new Set(["fetch", "bundle", "evaluate", "define"]);
