import { expect, test } from "vitest";

import { timed } from "#http/timed-body.ts";

/** A stream of bytes, one after each wait. */
function dripping(count: number, waitMs: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (let sent = 0; sent < count; sent += 1) {
        await scheduler.wait(waitMs);
        controller.enqueue(Uint8Array.of(97));
      }
      controller.close();
    },
  });
}

test("a body that arrives in time is whole, and its signal is not aborted", async () => {
  const { body, arrival } = timed(dripping(3, 1), { length: 3, ms: 5000 });
  expect(await new Response(body).text()).toBe("aaa");
  expect(arrival.aborted).toBe(false);
});

test("aborts a body that is not complete in time, even if it keeps arriving", async () => {
  const { body, arrival } = timed(dripping(200, 20), { length: 200, ms: 100 });
  await expect(new Response(body).text()).rejects.toThrow("abort");
  expect(arrival.aborted).toBe(true);
});

test("reading a body that is shorter than declared fails", async () => {
  const { body, arrival } = timed(dripping(2, 1), { length: 3, ms: 5000 });
  await expect(new Response(body).text()).rejects.toThrow("FixedLengthStream");
  expect(arrival.aborted).toBe(false);
});
