import { vi } from "vitest";

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
