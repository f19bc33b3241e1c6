import { expect, test } from "vitest";

import { FairQueue, QueueFull } from "#bundler/fair-queue.ts";

const LIMIT_MS = 10_000;

/** Work that ends on a call of `end`. */
function pending() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test("runs one caller at a time, in turns by client", async () => {
  const queue = new FairQueue();
  const order: string[] = [];
  let atOnce = 0;
  const run = (client: string, name: string) =>
    queue.run(client, LIMIT_MS, async () => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      order.push(name);
      await scheduler.wait(1);
      atOnce -= 1;
    });
  await Promise.all([
    run("greedy", "greedy 1"),
    run("greedy", "greedy 2"),
    run("greedy", "greedy 3"),
    run("ada", "ada 1"),
    run("bob", "bob 1"),
    run("ada", "ada 2"),
  ]);
  expect(order).toEqual(["greedy 1", "ada 1", "bob 1", "greedy 2", "ada 2", "greedy 3"]);
});

test("rejects a client with too many queued callers, but no others", async () => {
  const queue = new FairQueue();
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
  const queue = new FairQueue();
  const failing = queue.run("ada", LIMIT_MS, () => Promise.reject(new Error("no")));
  const next = queue.run("ada", LIMIT_MS, async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("ends a turn at its limit", async () => {
  let nowMs = 0;
  const queue = new FairQueue(() => nowMs + Date.now());
  const { work, end } = pending();
  const cancelled = queue.run("ada", 1, work);
  await scheduler.wait(1);
  const next = queue.run("bob", 1, async () => "next");
  nowMs = 60_000;
  expect(await next).toBe("next");
  // Its late end does not affect the current turn.
  const { work: longWork, end: endLong } = pending();
  const long = queue.run("bob", LIMIT_MS, longWork);
  end();
  await cancelled;
  let hasBegun = false;
  const last = queue.run("ada", LIMIT_MS, async () => {
    hasBegun = true;
  });
  await scheduler.wait(5);
  expect(hasBegun).toBe(false);
  nowMs += 3000;
  endLong();
  await Promise.all([long, last]);
});

test("a caller with a late timer still gets a turn", async () => {
  let nowMs = 0;
  let isBusy = false;
  // On a busy machine, more time than a turn's maximum wait passes between two readings of the clock.
  const queue = new FairQueue(() => {
    const seenMs = nowMs;
    if (isBusy) nowMs += 5000;
    return seenMs;
  });
  const { work, end } = pending();
  const first = queue.run("ada", LIMIT_MS, work);
  const second = queue.run("bob", LIMIT_MS, async () => "bob's");
  const third = queue.run("eve", LIMIT_MS, async () => "eve's");
  await scheduler.wait(1);
  isBusy = true;
  end();
  await first;
  expect(await Promise.all([second, third])).toEqual(["bob's", "eve's"]);
});

test("a client rests after a long turn, so that clients with short turns go first", async () => {
  let nowMs = 0;
  const queue = new FairQueue(() => nowMs + Date.now());
  const order: string[] = [];
  const run = (client: string, tookMs: number) =>
    queue.run(client, LIMIT_MS, async () => {
      order.push(client);
      nowMs += tookMs;
      await scheduler.wait(1);
    });
  const greedy = [run("greedy", 9000), run("greedy", 9000), run("greedy", 9000)];
  await run("ada", 50);
  await scheduler.wait(20);
  await run("ada", 50);
  expect(order).toEqual(["greedy", "ada", "ada"]);
  nowMs += 3000;
  await Promise.all(greedy);
  expect(order).toEqual(["greedy", "ada", "ada", "greedy", "greedy"]);
});

test("a client's own short turn does not extend its rest", async () => {
  let nowMs = 0;
  const queue = new FairQueue(() => nowMs + Date.now());
  const run = (tookMs: number) =>
    queue.run("ada", LIMIT_MS, async () => {
      nowMs += tookMs;
      await scheduler.wait(1);
    });
  await run(9000);
  await Promise.all([run(50), run(50)]);
  expect(nowMs).toBe(9100);
});

test("a resting client waits for the end of its rest, not for the limit of the finished turn", async () => {
  const queue = new FairQueue();
  const long = queue.run("greedy", 60_000, () => scheduler.wait(2100));
  const short = queue.run("ada", LIMIT_MS, async () => "short");
  // It starts to wait while the long turn may still take a minute, and rests for two seconds afterwards.
  const next = queue.run("greedy", 60_000, async () => "next");
  await Promise.all([long, short]);
  const late = scheduler.wait(20_000).then(() => "late");
  expect(await Promise.race([next, late])).toBe("next");
});

test("a client without competition works without rests", async () => {
  let nowMs = 0;
  const queue = new FairQueue(() => nowMs + Date.now());
  const run = () =>
    queue.run("ada", LIMIT_MS, async () => {
      nowMs += 9000;
    });
  await Promise.all([run(), run(), run()]);
  expect(nowMs).toBe(27_000);
});

test("another client gets a turn between two long turns of one client", async () => {
  let nowMs = 0;
  const queue = new FairQueue(() => nowMs + Date.now());
  const order: string[] = [];
  const run = (client: string, tookMs: number) =>
    queue.run(client, LIMIT_MS, async () => {
      order.push(client);
      nowMs += tookMs;
    });
  const flood = ["eve", "eve", "mallory", "mallory"].map((client) => run(client, 1500));
  for (const first of [0, 2, 1]) {
    await flood[first];
    // The time of a request before it reaches the queue.
    await scheduler.wait(20);
    await run("ada", 10);
  }
  await Promise.all(flood);
  expect(order).toEqual(["eve", "ada", "mallory", "ada", "eve", "ada", "mallory"]);
});
