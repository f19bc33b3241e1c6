import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { abortAfter, withTimeout } from "#domain/timeout.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = () => new Promise<string>(() => {});

test("a promise that settles in time decides, and leaves no timer", async () => {
  await expect(withTimeout(Promise.resolve("it"), 50, () => "late")).resolves.toBe("it");
  const refused = Promise.reject(new Error("no"));
  await expect(withTimeout(refused, 50, () => "late")).rejects.toThrow("no");
  expect(vi.getTimerCount()).toBe(0);
});

test("after the timeout, the outcome of `late` decides", async () => {
  const returned = withTimeout(never(), 50, () => "late");
  const thrown = withTimeout(never(), 50, () => {
    throw new TypeError("too late");
  }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(49);
  expect(vi.getTimerCount()).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  await expect(returned).resolves.toBe("late");
  await expect(thrown).resolves.toBeInstanceOf(TypeError);
});

test("a promise that rejects too late is no unhandled rejection", async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  const returned = withTimeout(promise, 50, () => "late");
  await vi.advanceTimersByTimeAsync(50);
  reject(new Error("nobody waits"));
  await expect(returned).resolves.toBe("late");
});

test("a signal aborts at its timeout, unless it is cleared", async () => {
  const [first, second] = [abortAfter(50), abortAfter(50)];
  second.clear();
  await vi.advanceTimersByTimeAsync(50);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
});
