import type { LossReason } from "#sandbox/processes/contract.ts";

/** The reason for stopping a process: another one replaced it, it was unused, or the platform ends. */
export type StopReason = "replaced" | "idle" | "stopped";

const LOSSES: ReadonlySet<string> = new Set<LossReason>([
  "silent",
  "memory",
  "blocked",
  "killed",
  "died",
]);

/** The signals by which a person or the system ends a process. A crash has others. */
const OUTSIDE_SIGNALS: ReadonlySet<string> = new Set<NodeJS.Signals>([
  "SIGKILL",
  "SIGTERM",
  "SIGINT",
  "SIGHUP",
  "SIGQUIT",
]);

/** The reason for an end that nobody here caused, by the signal that ended the process. */
export function lossBy(signal: NodeJS.Signals | null): LossReason {
  return signal && OUTSIDE_SIGNALS.has(signal) ? "killed" : "died";
}

/** Whether an end was unexpected. */
export function isLoss(ending: LossReason | StopReason): ending is LossReason {
  return LOSSES.has(ending);
}
