import { expect, test } from "vitest";

import { newJob } from "#durable-objects/source/queue.ts";
import { WaitingLine } from "#durable-objects/source/waiting-line.ts";

const MB = 2 ** 20;

/** A line of `count` events of `bytes` bytes each. */
function lineOf(count: number, bytes: number) {
  const line = new WaitingLine();
  for (let seq = 0; seq < count; seq += 1)
    line.push({ job: newJob({ seq, bytes }, { trigger: "http" }) });
  return line;
}

test.for([
  [4999, 1, false],
  [5000, 1, true],
  [127, 2 * MB, false],
  [128, 2 * MB, true],
] as const)("a line of %i events of %i bytes is full: %s", ([count, bytes, isFull]) => {
  expect(lineOf(count, bytes).isFull()).toBe(isFull);
});

test("events that are retried keep their order, before those that came after them", () => {
  const line = lineOf(4, 1);
  const retried = line.take(3);
  for (const one of [retried[2], retried[0], retried[1]]) if (one) line.putBack(one);
  expect(line.take(4).map(({ job }) => job.seq)).toEqual([0, 1, 2, 3]);
});

test.for([
  [5000, 1],
  [128, 2 * MB],
] as const)("a full line of %i events has room after one was taken", ([count, bytes]) => {
  const line = lineOf(count, bytes);
  const [one] = line.take(1);
  expect([line.isFull(), line.length]).toEqual([false, count - 1]);
  if (one) line.putBack(one);
  expect([line.isFull(), line.length]).toEqual([true, count]);
});
