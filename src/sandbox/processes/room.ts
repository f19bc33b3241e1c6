import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import { withTimeout } from "#domain/timeout.ts";

import type { Lane, SandboxProcess, Supervisor } from "./contract.ts";

/** Time before the next request to a supervisor without a process. */
const PAUSE_MS = 1000;

/** A lane of quarantine: its process, and the watchdog that keeps it alive. */
export type Room = { lane: Lane; process: SandboxProcess; supervisor: Supervisor };

/** The number of a running process that has not ended (`hasEnded`). Rejects if none starts while the caller waits. */
export async function startIn(
  { lane, supervisor }: Room,
  expiresMs: number,
  hasEnded: (process: number) => boolean,
): Promise<number> {
  for (;;) {
    try {
      const process = await supervised(supervisor.start(lane), expiresMs);
      if (!hasEnded(process)) return process;
      // It should have been killed.
      await supervised(supervisor.kill(lane, process), expiresMs);
    } catch (error) {
      if (Date.now() > expiresMs) throw error;
      await scheduler.wait(PAUSE_MS);
    }
  }
}

/** Wait for the supervisor while a caller waits: rejects with `IsolateTimeout` after that. */
export function supervised<T>(answer: Promise<T>, expiresMs: number): Promise<T> {
  return withTimeout(answer, Math.max(0, expiresMs - Date.now()), () => {
    throw new IsolateTimeout();
  });
}
