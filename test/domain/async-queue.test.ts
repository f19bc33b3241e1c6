import { expect, test } from "vitest";

import { AsyncQueue } from "#domain/async-queue.ts";

async function read<T>(queue: AsyncQueue<T>, items: T[] = []): Promise<T[]> {
  for await (const item of queue) items.push(item);
  return items;
}

test("a reader gets values in order, from before and during its reading", async () => {
  const queue = new AsyncQueue<number>();
  const items: number[] = [];
  queue.push(1);
  queue.push(2);
  const reading = read(queue, items);
  await expect.poll(() => items).toEqual([1, 2]);
  queue.push(3);
  await expect.poll(() => items).toEqual([1, 2, 3]);
  queue.push(4);
  queue.close();
  expect(await reading).toEqual([1, 2, 3, 4]);
});

test("a value pushed after the end is dropped", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  queue.close();
  queue.push(2);
  queue.fail(new Error("too late"));
  expect(await read(queue)).toEqual([1]);
});

test("a failure follows the values before it, even if it is not an error", async () => {
  const queue = new AsyncQueue<number>();
  const items: number[] = [];
  const reading = read(queue, items);
  queue.push(1);
  queue.fail(undefined);
  await expect(reading).rejects.toBeUndefined();
  expect(items).toEqual([1]);
});

test("a value pushed while an item is processed is not lost", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  const items: number[] = [];
  for await (const item of queue) {
    items.push(item);
    if (item < 3) queue.push(item + 1);
    else queue.close();
  }
  expect(items).toEqual([1, 2, 3]);
});
