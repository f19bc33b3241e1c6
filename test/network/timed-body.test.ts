import { expect, onTestFinished, test, vi } from "vitest";

import { timed } from "#http/timed-body.ts";

/** A stream of so many bytes. */
function bytes(count: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let sent = 0; sent < count; sent += 1) controller.enqueue(Uint8Array.of(97));
      controller.close();
    },
  });
}

test("a body that arrives in time is whole, and its signal is not aborted", async () => {
  const { body, arrival } = timed(bytes(3), { length: 3, ms: 5000 });
  expect(await new Response(body).text()).toBe("aaa");
  expect(arrival.aborted).toBe(false);
});

test("aborts a body that is not complete in time, even if it keeps arriving", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const arriving = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own) });
  const { body, arrival } = timed(arriving, { length: 200, ms: 100 });
  const reading = new Response(body).text();
  reading.catch(() => undefined);
  for (let sent = 0; sent < 4; sent += 1) {
    controller?.enqueue(Uint8Array.of(97));
    await vi.advanceTimersByTimeAsync(20);
  }
  expect(arrival.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  controller?.enqueue(Uint8Array.of(97));
  await expect(reading).rejects.toThrow("abort");
  expect(arrival.aborted).toBe(true);
});

test("reading a body that is shorter than declared fails", async () => {
  const { body, arrival } = timed(bytes(2), { length: 3, ms: 5000 });
  await expect(new Response(body).text()).rejects.toThrow("FixedLengthStream");
  expect(arrival.aborted).toBe(false);
});
