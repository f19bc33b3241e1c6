import { expect, test } from "vitest";

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
