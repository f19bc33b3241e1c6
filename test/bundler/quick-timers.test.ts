import { expect, test } from "vitest";

import { quickenTimers } from "#bundler/quick-timers.ts";

quickenTimers();

test("callbacks without a delay neither wait for a timer nor run at once", async () => {
  const order: string[] = [];
  const zero = Promise.withResolvers<void>();
  setTimeout(() => zero.resolve(void order.push("zero")), 0);
  for (let index = 0; index < 10; index += 1)
    setTimeout((name: string) => order.push(name), undefined, `quick ${index}`);
  order.push("started");
  await zero.promise;
  expect(order[0]).toBe("started");
  // One of them may wait for a timer.
  expect(order.indexOf("zero")).toBeGreaterThan(9);
});

test("timers fire during an endless series of callbacks without a delay", async () => {
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, 3);
  let callbacks = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const again = () => {
    callbacks += 1;
    if (isOver) resolve();
    else setTimeout(again);
  };
  again();
  await promise;
  expect(callbacks).toBeGreaterThan(1);
});

test("a cleared timer never fires", async () => {
  let hasFired = false;
  const timer = setTimeout(() => {
    hasFired = true;
  }, 1);
  clearTimeout(timer);
  // It would fire before this one.
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(() => resolve(), 2);
  await promise;
  expect(hasFired).toBe(false);
});
