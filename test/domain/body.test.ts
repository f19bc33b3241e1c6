import { expect, test } from "vitest";

import { arrivalMs, readInTime } from "#domain/body.ts";

/** A request with a body in pieces, one after each wait. */
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
  // Node requires `duplex` for a stream as body; Workers accept it.
  const init = { method: "POST", body, duplex: "half" };
  return new Request("http://wellspring.test/", init);
}

const textOf = (bytes: Awaited<ReturnType<typeof readInTime>>) =>
  bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : bytes;

test("reads a body to its end, unless it is larger than allowed", async () => {
  expect(textOf(await readInTime(slow(["a", "b"], 5), 2, 1000))).toBe("ab");
  expect(await readInTime(slow(["a", "b"], 5), 1, 1000)).toBeUndefined();
  const none = new Request("http://wellspring.test/", { method: "POST" });
  expect(textOf(await readInTime(none, 1, 1000))).toBe("");
});

test("rejects a body that is not complete in time, even if it keeps arriving", async () => {
  const pieces = Array.from({ length: 100 }, () => "a");
  const startMs = Date.now();
  expect(await readInTime(slow(pieces, 20), 1000, 200)).toBe("late");
  expect(Date.now() - startMs).toBeLessThan(1500);
});

test("allows 30 seconds for each started 5 MB of a body", () => {
  const mb = 1024 * 1024;
  expect([0, 1, 5 * mb, 5 * mb + 1, 100 * mb].map(arrivalMs)).toEqual([
    30_000, 30_000, 30_000, 60_000, 600_000,
  ]);
});
