import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { FairQueue, QueueFull } from "#bundler/fair-queue.ts";

const LIMIT_MS = 10_000;

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** The fake time, which `pass` advances. */
const CLOCK = {
  now: () => Date.now(),
  wait: (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(() => resolve(), ms);
    return promise;
  },
};

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Work that ends on a call of `end`. */
function pending() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test("runs one caller at a time, in turns by client", async () => {
  const queue = new FairQueue(CLOCK);
  const order: string[] = [];
  let atOnce = 0;
  const run = (client: string, name: string) =>
    queue.run(client, LIMIT_MS, async () => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      order.push(name);
      await CLOCK.wait(1);
      atOnce -= 1;
    });
  const all = Promise.all([
    run("greedy", "greedy 1"),
    run("greedy", "greedy 2"),
    run("greedy", "greedy 3"),
    run("ada", "ada 1"),
    run("bob", "bob 1"),
    run("ada", "ada 2"),
  ]);
  await pass(6);
  await all;
  expect(order).toEqual(["greedy 1", "ada 1", "bob 1", "greedy 2", "ada 2", "greedy 3"]);
});

test("rejects a client with too many queued callers, but no others", async () => {
  const queue = new FairQueue(CLOCK);
  const { work, end } = pending();
  const first = queue.run("greedy", LIMIT_MS, work);
  const waiting = Array.from({ length: 32 }, () => queue.run("greedy", LIMIT_MS, work));
  await expect(queue.run("greedy", LIMIT_MS, work)).rejects.toThrow(QueueFull);
  const other = queue.run("ada", LIMIT_MS, async () => "done");
  end();
  expect(await other).toBe("done");
  await Promise.all([first, ...waiting]);
});

test("failed work passes the turn to the next", async () => {
  const queue = new FairQueue(CLOCK);
  const failing = queue.run("ada", LIMIT_MS, () => Promise.reject(new Error("no")));
  const next = queue.run("ada", LIMIT_MS, async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("ends a turn at its limit", async () => {
  const queue = new FairQueue(CLOCK);
  const { work, end } = pending();
  const cancelled = queue.run("ada", 1, work);
  await pass(1);
  const next = queue.run("bob", 1, async () => "next");
  await pass(60_000);
  expect(await next).toBe("next");
  // Its late end does not affect the current turn.
  const order: string[] = [];
  const long = queue.run("bob", LIMIT_MS, async () => {
    await CLOCK.wait(3000);
    order.push("end of long");
  });
  end();
  await cancelled;
  const last = queue.run("ada", LIMIT_MS, async () => void order.push("last"));
  await pass(4000);
  await Promise.all([long, last]);
  expect(order).toEqual(["end of long", "last"]);
});

test("a caller with a late timer still gets a turn", async () => {
  let nowMs = 0;
  let isBusy = false;
  // On a busy machine, more time than a turn's maximum wait passes between two readings of the clock.
  const now = () => {
    const seenMs = nowMs;
    if (isBusy) nowMs += 5000;
    return seenMs;
  };
  const queue = new FairQueue({ ...CLOCK, now });
  const { work, end } = pending();
  const first = queue.run("ada", LIMIT_MS, work);
  const second = queue.run("bob", LIMIT_MS, async () => "bob's");
  const third = queue.run("eve", LIMIT_MS, async () => "eve's");
  await pass(1);
  isBusy = true;
  end();
  await pass(LIMIT_MS);
  await first;
  expect(await Promise.all([second, third])).toEqual(["bob's", "eve's"]);
});

/** A queue whose turns take as long as the test says, and the clients of its turns in their order. */
function timed() {
  const queue = new FairQueue(CLOCK);
  const order: string[] = [];
  const run = (client: string, tookMs: number) =>
    queue.run(client, LIMIT_MS, async () => {
      order.push(client);
      await CLOCK.wait(tookMs);
    });
  return { order, run };
}

test("a client rests after a long turn, so that clients with short turns go first", async () => {
  const { order, run } = timed();
  const greedy = [run("greedy", 9000), run("greedy", 9000), run("greedy", 9000)];
  const first = run("ada", 50);
  await pass(9300);
  await first;
  await pass(20);
  const second = run("ada", 50);
  await pass(50);
  await second;
  expect(order).toEqual(["greedy", "ada", "ada"]);
  await pass(3000 + 2 * LIMIT_MS);
  await Promise.all(greedy);
  expect(order).toEqual(["greedy", "ada", "ada", "greedy", "greedy"]);
});

test("a client's own short turn does not extend its rest", async () => {
  const { run } = timed();
  const long = run("ada", 9000);
  await pass(9000);
  await long;
  const short = Promise.all([run("ada", 50), run("ada", 50)]);
  await pass(100);
  await expect(short).resolves.toHaveLength(2);
});

test("a resting client waits for the end of its rest, not for the limit of the finished turn", async () => {
  const queue = new FairQueue(CLOCK);
  const long = queue.run("greedy", 60_000, () => CLOCK.wait(2100));
  const short = queue.run("ada", LIMIT_MS, async () => "short");
  // It starts to wait while the long turn may still take a minute, and rests for as long as that turn took.
  let hasBegun = false;
  const next = queue.run("greedy", 60_000, async () => {
    hasBegun = true;
  });
  await pass(4199);
  await Promise.all([long, short]);
  expect(hasBegun).toBe(false);
  await pass(1);
  await next;
});

test("a client without competition works without rests", async () => {
  const { run } = timed();
  const all = Promise.all([run("ada", 9000), run("ada", 9000), run("ada", 9000)]);
  // With the pauses for other Workers of the runtime.
  await pass(3 * 9000 + 2 * 250);
  await expect(all).resolves.toHaveLength(3);
});

test("another client gets a turn between two long turns of one client", async () => {
  const { order, run } = timed();
  const flood = ["eve", "eve", "mallory", "mallory"].map((client) => run(client, 1500));
  for (const first of [0, 2, 1]) {
    await pass(first === 0 ? 1500 : 1720);
    await flood[first];
    // The time of a request before it reaches the queue.
    await pass(20);
    const short = run("ada", 10);
    await pass(10);
    await short;
  }
  await pass(1720);
  await Promise.all(flood);
  expect(order).toEqual(["eve", "ada", "mallory", "ada", "eve", "ada", "mallory"]);
});
