import { expect, test } from "vitest";

import { Patience } from "#durable-objects/source/deadline.ts";

const never = new Promise<void>(() => {});
const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test("what settles in time is told so, and what does not is given up, each by its own time", async () => {
  const patience = new Patience(50);
  const first = patience.settles(never);
  await after(30);
  const second = patience.settles(never);
  const third = patience.settles(after(5));
  expect(await Promise.race([first, second, third])).toBe(true);
  expect(await first).toBe(false);
  // The second began later, so the timer has to go on for it.
  expect(await Promise.race([second, after(5).then(() => "still waiting")])).toBe("still waiting");
  expect(await second).toBe(false);
  expect(await third).toBe(true);
});

test("it waits anew after all was given up", async () => {
  const patience = new Patience(10);
  expect(await patience.settles(never)).toBe(false);
  expect(await patience.settles(Promise.resolve())).toBe(true);
  expect(await patience.settles(never)).toBe(false);
});
