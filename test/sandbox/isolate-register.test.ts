import { expect, test, vi } from "vitest";

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
  const use = register.during(target("a"), () => scheduler.wait(50));
  await register.end(1, async ({ bundleHash }) => void ended.push(bundleHash));
  await use;
  expect(ended).toEqual(["b"]);
  expect(register.status()).toEqual({ calls: 0, isolates: 2 });
});

test("a call never starts in an isolate that is about to end", async () => {
  const register = await filled("a");
  const order: string[] = [];
  const ending = register.end(0, async () => {
    await scheduler.wait(100);
    order.push("ended");
  });
  await register.during(target("a"), async () => void order.push("called"));
  await ending;
  expect(order).toEqual(["ended", "called"]);
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
function started(register: IsolateRegister, hash: string) {
  const end = Promise.withResolvers<void>();
  const call = { hasBegun: false, read: () => {}, end: end.resolve, ended: Promise.resolve() };
  call.ended = register.during(target(hash), async (codeRead) => {
    call.hasBegun = true;
    call.read = codeRead;
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
