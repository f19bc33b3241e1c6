import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { abortAfter, withTimeout } from "#domain/timeout.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  // First: it restores the fake timers.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const never = () => new Promise<string>(() => {});

test("a promise that settles in time decides, and leaves no timer", async () => {
  const [set, clear] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
  await expect(withTimeout(Promise.resolve("it"), 50, () => "late")).resolves.toBe("it");
  const refused = Promise.reject(new Error("no"));
  await expect(withTimeout(refused, 50, () => "late")).rejects.toThrow("no");
  // Objects of other files may set timers in the same runtime.
  const own = set.mock.results.filter((_, index) => set.mock.calls[index]?.[1] === 50);
  expect(own).toHaveLength(2);
  for (const { value } of own) expect(clear).toHaveBeenCalledWith(value);
});

test("after the timeout, the outcome of `late` decides", async () => {
  const returned = withTimeout(never(), 50, () => "late");
  const thrown = withTimeout(never(), 50, () => {
    throw new TypeError("too late");
  }).catch((error: unknown) => error);
  const settled: unknown[] = [];
  for (const each of [returned, thrown]) void each.then((outcome) => settled.push(outcome));
  await vi.advanceTimersByTimeAsync(49);
  expect(settled).toEqual([]);
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
