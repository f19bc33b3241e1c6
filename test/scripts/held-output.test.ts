import { PassThrough } from "node:stream";

import { expect, test } from "vitest";

import { HeldOutput } from "../../tools/scripts/local/held-output.ts";

function heldOutput() {
  const [stream, written] = [new PassThrough(), [] as string[]];
  const held = new HeldOutput([stream, null], (text) => written.push(text));
  return { stream, written, held };
}

test("output is passed on from when it is followed", async () => {
  const { stream, written, held } = heldOutput();
  stream.write("noise");
  await expect.poll(() => stream.readableLength).toBe(0);
  held.follow();
  stream.write("news");
  await expect.poll(() => written).toEqual(["news"]);
});

test("held output of a failed start is released", async () => {
  const { stream, written, held } = heldOutput();
  stream.write("reason");
  await expect.poll(() => stream.readableLength).toBe(0);
  held.release();
  expect(written).toEqual(["reason"]);
});
