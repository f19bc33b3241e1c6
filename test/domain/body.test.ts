import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { arrivalMs, readAtMost, readInTime } from "#domain/body.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request with a body in pieces, which arrive at this interval. */
function slow(pieces: readonly string[], intervalMs: number): Request {
  const left = [...pieces];
  let timer: ReturnType<typeof setInterval>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        const piece = left.shift();
        if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
        clearInterval(timer);
        controller.close();
      }, intervalMs);
    },
    cancel: () => clearInterval(timer),
  });
  // Node requires `duplex` for a stream as body; Workers accept it.
  const init = { method: "POST", body, duplex: "half" };
  return new Request("http://wellspring.test/", init);
}

const textOf = (bytes: Awaited<ReturnType<typeof readInTime>>) =>
  bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : bytes;

test("reads a body to its end, unless it is larger than allowed", async () => {
  const reading = [
    readInTime(slow(["a", "b"], 5), 2, 1000),
    readInTime(slow(["a", "b"], 5), 1, 1000),
  ];
  await vi.advanceTimersByTimeAsync(15);
  expect((await Promise.all(reading)).map(textOf)).toEqual(["ab", undefined]);
  const none = new Request("http://wellspring.test/", { method: "POST" });
  expect(textOf(await readInTime(none, 1, 1000))).toBe("");
});

test("rejects a body that is not complete in time, even if it keeps arriving", async () => {
  const pieces = Array.from({ length: 100 }, () => "a");
  const outcomes: unknown[] = [];
  void readInTime(slow(pieces, 20), 1000, 200).then((outcome) => outcomes.push(outcome));
  await vi.advanceTimersByTimeAsync(199);
  expect(outcomes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(outcomes).toEqual(["late"]);
});

test("allows 30 seconds for each started 5 MB of a body", () => {
  const mb = 1024 * 1024;
  expect([0, 1, 5 * mb, 5 * mb + 1, 100 * mb].map(arrivalMs)).toEqual([
    30_000, 30_000, 30_000, 60_000, 600_000,
  ]);
});

test("counts the bytes of a body that declares fewer", async () => {
  const headers = { "content-length": "2", "content-encoding": "br" };
  let count = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      count += 1;
      controller.enqueue(new Uint8Array(1000));
    },
  });
  const response = new Response(body, { headers });
  expect(await readAtMost(response, 10_000)).toBeUndefined();
  expect(count).toBeLessThan(15);
  await response.body?.cancel();
});
