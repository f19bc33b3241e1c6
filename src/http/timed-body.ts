import { abortAfter } from "#domain/timeout.ts";

/**
 * A body of `length` bytes on its way elsewhere: broken off, and its signal aborted, where it has not arrived after `ms`
 * milliseconds. The sender still knows its length.
 */
export function timed(
  body: ReadableStream,
  { length, ms }: { length: number; ms: number },
): { body: ReadableStream; arrival: AbortSignal } {
  const { readable, writable } = new FixedLengthStream(length);
  const { signal, clear } = abortAfter(ms);
  // An aborted body fails its reader, which reports the error.
  void body.pipeTo(writable, { signal }).then(clear, clear);
  return { body: readable, arrival: signal };
}
