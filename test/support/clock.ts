import { onTestFinished, vi } from "vitest";

/** Do some work with the clock ahead, that of the objects included: they share the isolate of the tests. */
export async function later<T>(aheadMs: number, work: () => T | Promise<T>): Promise<T> {
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + aheadMs);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

/** Stop the clocks that objects read until the end of the test. Returns their time, in whole seconds, and moves them. */
export function stopClock(): { startMs: number; advance: (ms: number) => void } {
  const startMs = Math.floor(Date.now() / 1000) * 1000;
  let passedMs = 0;
  const spies = [
    vi.spyOn(Date, "now").mockImplementation(() => startMs + passedMs),
    vi.spyOn(performance, "now").mockImplementation(() => passedMs),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return { startMs, advance: (ms) => void (passedMs += ms) };
}
