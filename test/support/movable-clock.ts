import { onTestFinished, vi } from "vitest";

/**
 * A clock of the platform that the test moves: real time plus leaps, until the end of the test. Timers and alarms keep
 * to real time.
 */
export function movableClock() {
  const realNow = Date.now.bind(Date);
  let aheadMs = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => realNow() + aheadMs);
  onTestFinished(() => clock.mockRestore());
  return {
    pass(ms: number): void {
      aheadMs += ms;
    },
    /** Advance the clock until the work has ended. */
    async during<P extends PromiseLike<unknown>>(work: P): Promise<Awaited<P>> {
      const leaps = setInterval(() => (aheadMs += 3000), 100);
      try {
        return await work;
      } finally {
        clearInterval(leaps);
      }
    },
  };
}
