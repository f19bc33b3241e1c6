import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { SharedDeadline } from "#durable-objects/source/deadline.ts";

const never = new Promise<void>(() => {});
const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

// Real time would pass between two lines of a test on a busy machine.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a shared deadline times each promise on its own", async () => {
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
  // The second began later, so the timer has to go on for it.
  await vi.advanceTimersByTimeAsync(29);
  expect(ends).toEqual({ third: true, first: false });
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toEqual({ third: true, first: false, second: false });
});

test("it waits anew after all was given up", async () => {
  const deadline = new SharedDeadline(10);
  const first = deadline.settles(never);
  await vi.advanceTimersByTimeAsync(10);
  expect(await first).toBe(false);
  expect(await deadline.settles(Promise.resolve())).toBe(true);
  const last = deadline.settles(never);
  await vi.advanceTimersByTimeAsync(10);
  expect(await last).toBe(false);
});
