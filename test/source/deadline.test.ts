import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { SharedDeadline } from "#durable-objects/source/deadline.ts";

const never = new Promise<void>(() => {});

/** A promise of the fake clock. */
function after(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(() => resolve(), ms);
  return promise;
}

// On a busy machine, real time would pass between two lines of a test.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a shared deadline times each promise separately", async () => {
  const deadline = new SharedDeadline(50);
  const ends: Record<string, boolean> = {};
  const waitFor = async (name: string, promise: Promise<void>) => {
    ends[name] = await deadline.settles(promise);
  };
  void waitFor("first", never);
  await vi.advanceTimersByTimeAsync(30);
  void waitFor("second", never);
  void waitFor("third", after(5));
  await vi.advanceTimersByTimeAsync(5);
  expect(ends).toEqual({ third: true });
  await vi.advanceTimersByTimeAsync(15);
  expect(ends).toEqual({ third: true, first: false });
  // The second started later, so the timer has to continue for it.
  await vi.advanceTimersByTimeAsync(29);
  expect(ends).toEqual({ third: true, first: false });
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toEqual({ third: true, first: false, second: false });
});

test("it starts again after all promises have timed out", async () => {
  const deadline = new SharedDeadline(10);
  const first = deadline.settles(never);
  await vi.advanceTimersByTimeAsync(10);
  expect(await first).toBe(false);
  expect(await deadline.settles(Promise.resolve())).toBe(true);
  const last = deadline.settles(never);
  await vi.advanceTimersByTimeAsync(10);
  expect(await last).toBe(false);
});
