import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import type { Target } from "#sandbox/processes/contract.ts";
import { type Collecting, Garbage } from "#sandbox/processes/garbage.ts";
import { IsolateRegister } from "#sandbox/processes/isolate-register.ts";

const owner = newId("user");

async function call(register: IsolateRegister, bundleHash: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    await register.during({ owner, bundleHash }, async () => {});
}

/** Records which isolate collects garbage, by its bundle; `own`: the process's isolate. */
function noting(): Collecting & { collected: string[] } {
  const collected: string[] = [];
  const inIsolate = async ({ bundleHash }: Target) => void collected.push(bundleHash);
  return { collected, own: () => void collected.push("own"), in: inIsolate };
}

test("the isolate with most calls collects garbage first, and none does without calls", async () => {
  const register = new IsolateRegister();
  const garbage = new Garbage(register);
  for (let index = 0; index < 50; index += 1) await call(register, `rare-${index}`, 1);
  const first = noting();
  for (let time = 0; time < 50; time += 1) await garbage.look(first);
  // Loading each of them left enough garbage.
  expect(new Set(first.collected).size).toBe(50);

  await call(register, "rare-7", 49);
  await call(register, "rare-8", 51);
  const second = noting();
  for (let time = 0; time < 3; time += 1) await garbage.look(second);
  expect(second.collected).toEqual(["rare-8"]);
  await call(register, "rare-7", 1);
  await garbage.look(second);
  expect(second.collected).toEqual(["rare-8", "rare-7"]);
});

test("a busy isolate collects garbage once per thousand calls", async () => {
  const register = new IsolateRegister();
  const garbage = new Garbage(register);
  const noted = noting();
  for (let time = 0; time < 100; time += 1) {
    await call(register, "busy", 100);
    await garbage.look(noted);
  }
  expect(noted.collected.filter((each) => each === "busy")).toHaveLength(9);
  expect(noted.collected.filter((each) => each === "own")).toHaveLength(4);
});

test("an isolate that does not respond delays no other", async () => {
  const register = new IsolateRegister();
  const garbage = new Garbage(register);
  await call(register, "stuck", 1000);
  const noted = noting();
  const stuck = garbage.look({ ...noted, in: () => new Promise(() => {}) });
  await call(register, "other", 1000);
  await garbage.look(noted);
  expect(noted.collected).toEqual([]);
  await stuck;
  await garbage.look(noted);
  expect(noted.collected).toEqual(["other"]);
});
