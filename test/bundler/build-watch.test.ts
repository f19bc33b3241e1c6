// @suites loader

import { expect, test } from "vitest";

import { BuildEnded, BuildWatch } from "#worker/build-watch.ts";

import { movableClock } from "../support/movable-clock.ts";

const LIMIT_MS = 10_000;

/** A bundler's process whose calls end when it is killed, or when the test settles them. */
class FakeBundler {
  readonly watch = new BuildWatch({
    process: async () => {
      this.looks += 1;
      return { pid: this.pid, cpuMs: this.cpuMs };
    },
    kill: async (pid) => {
      if (pid === this.pid) this.die();
    },
  });
  readonly calls = new Map<string, PromiseWithResolvers<string>>();
  /** The number of times that the watch looked at the process. */
  looks = 0;
  pid = 1;
  cpuMs = 0;

  call(): Promise<string> {
    return this.watch.during((name) => {
      const call = Promise.withResolvers<string>();
      this.calls.set(name, call);
      return call.promise;
    });
  }

  /** The name of the newest call. */
  newest(): string {
    return [...this.calls.keys()].at(-1) ?? "";
  }

  /** Its process ends, with all of its calls; another one has computed nothing. */
  die(): void {
    this.pid += 1;
    this.cpuMs = 0;
    const lost = [...this.calls.values()];
    for (const { reject } of lost)
      reject(Object.assign(new Error("Network connection lost."), { retryable: true }));
  }
}

test("a build beyond its limit ends its process, and other calls are repeated", async () => {
  const bundler = new FakeBundler();
  const clock = movableClock();
  const heavy = bundler.call();
  await bundler.watch.begin(bundler.newest(), LIMIT_MS);
  const light = bundler.call();

  bundler.cpuMs += LIMIT_MS;
  clock.pass(LIMIT_MS);
  await expect(heavy).rejects.toThrow(
    new BuildEnded("The compiler took more than 10 s for this code"),
  );
  await expect.poll(() => bundler.calls.size).toBe(3);
  bundler.calls.get(bundler.newest())?.resolve("bundled");
  expect(await light).toBe("bundled");
  expect(bundler.pid).toBe(2);
});

test("a build has its limit of computing time on a busy machine too", async () => {
  const bundler = new FakeBundler();
  const clock = movableClock();
  const slow = bundler.call();
  const build = await bundler.watch.begin(bundler.newest(), LIMIT_MS);
  bundler.cpuMs += LIMIT_MS / 2;
  clock.pass(2 * LIMIT_MS);
  await expect.poll(() => bundler.looks).toBeGreaterThan(2);
  bundler.watch.end(build);
  bundler.calls.get(bundler.newest())?.resolve("bundled");
  expect(await slow).toBe("bundled");
  expect(bundler.pid).toBe(1);
});

test("a build is repeated once if somebody else killed its process, then it is the cause", async () => {
  const bundler = new FakeBundler();
  const refused = bundler.call().catch((error: unknown) => error);
  for (const calls of [1, 2]) {
    await expect.poll(() => bundler.calls.size).toBe(calls);
    await bundler.watch.begin(bundler.newest(), LIMIT_MS);
    bundler.die();
  }
  expect(await refused).toEqual(new BuildEnded("The compiler crashed on this code"));
});

test("the build of a lost process ends no other process", async () => {
  const bundler = new FakeBundler();
  const clock = movableClock();
  // Its caller hung up: nobody learns of the loss.
  await bundler.watch.begin("gone", LIMIT_MS);
  bundler.die();
  const next = bundler.call();
  clock.pass(100 * LIMIT_MS);
  await expect.poll(() => bundler.watch.isBuilding()).toBe(false);
  bundler.calls.get(bundler.newest())?.resolve("bundled");
  expect(await next).toBe("bundled");
  expect(bundler.pid).toBe(2);
});

test("the error of a call is its own", async () => {
  const bundler = new FakeBundler();
  const failing = bundler.call();
  bundler.calls.get(bundler.newest())?.reject(new TypeError("the store is gone"));
  await expect(failing).rejects.toThrow("the store is gone");
  expect(bundler.calls.size).toBe(1);
});
