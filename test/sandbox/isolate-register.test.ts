// @suites loader

import { expect, onTestFinished, test, vi } from "vitest";

import { newId } from "#domain/ids.ts";
import type { Target } from "#sandbox/processes/contract.ts";
import { IsolateRegister } from "#sandbox/processes/isolate-register.ts";

const owner = newId("user");
const target = (bundleHash: string): Target => ({ owner, bundleHash });

async function filled(...hashes: string[]): Promise<IsolateRegister> {
  const register = new IsolateRegister();
  for (const hash of hashes) await register.during(target(hash), async () => {});
  return register;
}

test("ends the isolates with the longest idle time, and none in use", async () => {
  const register = await filled("a", "b", "c");
  const ended: string[] = [];
  const end = Promise.withResolvers<void>();
  const use = register.during(target("a"), () => end.promise);
  await register.end(1, async ({ bundleHash }) => void ended.push(bundleHash));
  end.resolve();
  await use;
  expect(ended).toEqual(["b"]);
  expect(register.status()).toEqual({ calls: 0, isolates: 2 });
});

test("a call never starts in an isolate that is about to end", async () => {
  const register = await filled("b", "a");
  const order: string[] = [];
  const end = Promise.withResolvers<void>();
  const inUse = register.during(target("b"), () => end.promise);
  const ending = register.end(0, async () => {
    await end.promise;
    order.push("ended");
  });
  const calling = register.during(target("a"), async () => void order.push("called"));
  // A later call of another isolate does not wait.
  await register.during(target("b"), async () => void order.push("other"));
  end.resolve();
  await Promise.all([inUse, ending, calling]);
  expect(order).toEqual(["other", "ended", "called"]);
});

test("an isolate that does not end delays neither other isolates nor its next call", async () => {
  const register = await filled("a", "b");
  const ended: string[] = [];
  await register.end(0, async ({ bundleHash }) => {
    if (bundleHash === "a") await new Promise(() => {});
    ended.push(bundleHash);
  });
  expect(ended).toEqual(["b"]);
  expect(await register.during(target("a"), async () => "called")).toBe("called");
});

test("code that is not stored yet is not kept", async () => {
  const register = new IsolateRegister();
  const unstored = { code: "export default {}", packages: "" };
  await register.during({ ...target("a"), unstored }, async () => {});
  const ended: Target[] = [];
  await register.end(0, async (each) => void ended.push(each));
  expect(ended).toEqual([target("a")]);
});

/** Begin a call that stays in progress. Returns the report that its code was read, and the end of the call. */
function started(register: IsolateRegister, hash: string, of = owner) {
  const end = Promise.withResolvers<void>();
  const call = { hasBegun: false, read: () => {}, end: end.resolve, ended: Promise.resolve() };
  call.ended = register.during({ ...target(hash), owner: of }, async (reading) => {
    call.hasBegun = true;
    call.read = () => void reading(Promise.resolve());
    await end.promise;
  });
  return call;
}

test("at most two isolates load at a time, and a long call of a loaded isolate holds no other up", async () => {
  const register = new IsolateRegister();
  const calls = ["a", "b", "c", "d"].map((hash) => started(register, hash));
  const begun = () => calls.map(({ hasBegun }) => hasBegun);
  await vi.waitFor(() => expect(begun()).toEqual([true, true, false, false]));
  expect(register.status()).toEqual({ calls: 4, isolates: 2 });
  calls[0]?.read();
  await vi.waitFor(() => expect(begun()).toEqual([true, true, true, false]));
  calls[1]?.end();
  await vi.waitFor(() => expect(begun()).toEqual([true, true, true, true]));
  for (const call of calls) call.end();
  await Promise.all(calls.map(({ ended }) => ended));
  expect(register.status()).toEqual({ calls: 0, isolates: 4 });
});

test("calls of an isolate that loads or is loaded do not wait for those that load", async () => {
  const register = await filled("a");
  const loading = ["b", "c"].map((hash) => started(register, hash));
  expect(await register.during(target("a"), async () => "called")).toBe("called");
  expect(await register.during(target("b"), async () => "called")).toBe("called");
  for (const call of loading) call.end();
  await Promise.all(loading.map(({ ended }) => ended));
});

test("a failed load lets the next isolate load", async () => {
  const register = new IsolateRegister();
  const failing = ["a", "b", "c", "d"].map((hash) =>
    register.during(target(hash), async () => {
      throw new Error("It does not load");
    }),
  );
  const settled = await Promise.allSettled(failing);
  expect(settled.map(({ status }) => status)).toEqual(failing.map(() => "rejected"));
  expect(await register.during(target("e"), async () => "called")).toBe("called");
});

test("isolates load in the order of their first calls, which no later call overtakes", async () => {
  const register = new IsolateRegister();
  const calls = ["a", "b", "c"].map((hash) => started(register, hash));
  await vi.waitFor(() => expect(calls[1]?.hasBegun).toBe(true));
  calls[0]?.end();
  await calls[0]?.ended;
  // The place is free, and the third call is about to take it.
  calls.push(started(register, "d"));
  await vi.waitFor(() => expect(calls[2]?.hasBegun).toBe(true));
  // A later call of an isolate that loads does not wait.
  await register.during(target("c"), async () => {});
  expect(calls[3]?.hasBegun).toBe(false);
  for (const call of calls) call.end();
  await Promise.all(calls.map(({ ended }) => ended));
});

test("all calls that wait for an isolate begin once it loads", async () => {
  // No call looks again by itself: each waits for an event.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const register = new IsolateRegister();
  const [first, second] = ["a", "b"].map((hash) => started(register, hash));
  const waiting = ["c", "c", "c", "d"].map((hash) => started(register, hash));
  await expect.poll(() => second?.hasBegun).toBe(true);
  first?.end();
  const begun = () => waiting.map(({ hasBegun }) => hasBegun);
  await expect.poll(begun).toEqual([true, true, true, false]);
  second?.end();
  for (const call of waiting) call.end();
  await Promise.all(waiting.map(({ ended }) => ended));
});

test("an isolate whose code cannot be read loads in its turn again", async () => {
  const register = new IsolateRegister();
  const unreadable = register.during(target("a"), (reading) =>
    reading(Promise.reject(new Error("No such bundle"))),
  );
  await expect(unreadable).rejects.toThrow("No such bundle");
  expect(register.status()).toEqual({ calls: 0, isolates: 0 });
  const others = ["b", "c"].map((hash) => started(register, hash));
  const again = started(register, "a");
  await vi.waitFor(() => expect(others.map(({ hasBegun }) => hasBegun)).toEqual([true, true]));
  // A later call of an isolate that loads does not wait.
  await register.during(target("c"), async () => {});
  expect(again.hasBegun).toBe(false);
  for (const call of [...others, again]) call.end();
  await again.ended;
});

test("loads whose calls were cancelled delay no others for long", async () => {
  const register = new IsolateRegister();
  // Nothing of a cancelled call runs any more, so that it reports no end.
  const cancelled = ["a", "b"].map((hash) => started(register, hash));
  await vi.waitFor(() => expect(cancelled[1]?.hasBegun).toBe(true));
  const waiting = ["c", "d"].map((hash) => started(register, hash));
  // A later call of an isolate that loads does not wait.
  await register.during(target("b"), async () => {});
  expect(waiting.some(({ hasBegun }) => hasBegun)).toBe(false);
  const { now } = Date;
  vi.spyOn(Date, "now").mockImplementation(() => now() + 6000);
  onTestFinished(() => void vi.restoreAllMocks());
  await vi.waitFor(() => expect(waiting.every(({ hasBegun }) => hasBegun)).toBe(true), 5000);
  for (const call of waiting) call.end();
  await Promise.all(waiting.map(({ ended }) => ended));
});

test("an owner with many isolates does not delay those of another", async () => {
  const register = new IsolateRegister();
  const many = ["a", "b", "c", "d", "e"].map((hash) => started(register, hash));
  const other = started(register, "f", newId("user"));
  await vi.waitFor(() => expect(many[1]?.hasBegun).toBe(true));
  many[0]?.end();
  await vi.waitFor(() => expect(other.hasBegun).toBe(true));
  expect(many.map(({ hasBegun }) => hasBegun)).toEqual([true, true, false, false, false]);
  other.end();
  await vi.waitFor(() => expect(many[2]?.hasBegun).toBe(true));
  for (const call of many) call.end();
  await Promise.all([...many, other].map(({ ended }) => ended));
});
