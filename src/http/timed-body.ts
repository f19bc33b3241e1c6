import { abortAfter } from "#domain/timeout.ts";

/**
 * A forwarded body of `length` bytes: cut off, and its signal aborted, unless it has arrived after `ms` milliseconds.
 * Its length stays declared.
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
