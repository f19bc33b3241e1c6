import { expect, test } from "vitest";

import { arrivalMs, readInTime } from "#domain/body.ts";

/** A request whose body comes in pieces, one after each wait. */
function slow(pieces: readonly string[], waitMs: number): Request {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const piece of pieces) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        controller.enqueue(new TextEncoder().encode(piece));
      }
      controller.close();
    },
  });
  // Node wants to know that the body comes before the answer; Workers have no other way.
  const init = { method: "POST", body, duplex: "half" };
  return new Request("http://wellspring.test/", init);
}

const textOf = (bytes: Awaited<ReturnType<typeof readInTime>>) =>
  bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : bytes;

test("a body that arrives in time is read to its end, and a larger one is not", async () => {
  expect(textOf(await readInTime(slow(["a", "b"], 5), 2, 1000))).toBe("ab");
  expect(await readInTime(slow(["a", "b"], 5), 1, 1000)).toBeUndefined();
  const none = new Request("http://wellspring.test/", { method: "POST" });
  expect(textOf(await readInTime(none, 1, 1000))).toBe("");
});

test("a body that takes too long is cut, however steadily it comes", async () => {
  const pieces = Array.from({ length: 100 }, () => "a");
  const startMs = Date.now();
  expect(await readInTime(slow(pieces, 20), 1000, 200)).toBe("late");
  expect(Date.now() - startMs).toBeLessThan(1500);
});

test("a body has 30 seconds for each 5 MB that it has or begins", () => {
  const mb = 1024 * 1024;
  expect([0, 1, 5 * mb, 5 * mb + 1, 100 * mb].map(arrivalMs)).toEqual([
    30_000, 30_000, 30_000, 60_000, 600_000,
  ]);
});
