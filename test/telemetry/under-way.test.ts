// @suites loader

import { expect, test } from "vitest";

import { during, mayBegin, underWay } from "#telemetry/under-way.ts";

test("counts work until it settles, in either way", async () => {
  const before = underWay().runs;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const failing = Promise.withResolvers<string>();
  const all = [during("runs", () => promise), during("runs", () => failing.promise)];
  expect(underWay().runs).toBe(before + 2);
  resolve("done");
  failing.reject(new Error("failed"));
  expect(await Promise.allSettled(all)).toMatchObject([
    { status: "fulfilled", value: "done" },
    { status: "rejected" },
  ]);
  expect([underWay().runs, mayBegin()]).toEqual([before, true]);
  reject();
});

test("stops counting work that never settles after its maximum duration", () => {
  const before = underWay().requests;
  void during("requests", () => new Promise(() => {}));
  expect(underWay(Date.now() + 60_000).requests).toBe(before + 1);
  expect(underWay(Date.now() + 400_000).requests).toBe(0);
});
