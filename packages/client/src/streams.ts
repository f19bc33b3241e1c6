import { EventSourceParserStream } from "eventsource-parser/stream";

import { WellspringError } from "./errors.ts";
import { backoff, sleep } from "./retries.ts";
import type { components } from "./v1.generated.ts";

/** The platform sends a comment every 15 seconds: a connection without data for this long is dead. */
const SILENCE_MS = 60_000;

export type StreamedEvent = components["schemas"]["EventSummary"];

export type FollowOptions = {
  /** Only the events of this channel, such as `$errors`. By default: all but the platform's own channels. */
  eventName?: string;
  /** Begin after the event with this id instead of now. */
  lastEventId?: string;
  /** Called each time a connection begins now, because no event came yet: what was emitted before is not in it. */
  onBegin?: () => void;
  /** Ends the iteration with the signal's reason. */
  signal?: AbortSignal;
};

type Bytes = Uint8Array<ArrayBuffer>;

/** An event, and the position of the stream after it: its own id, or that of several shards. */
type Message = { id: string; event: StreamedEvent };

/** Open the stream after an event; rejects unless it succeeds. */
type Open = (place: Place) => Promise<Response>;

/** The position of a connection, and the signal that ends it. */
export type Place = { lastEventId: string | undefined; signal: AbortSignal };

/**
 * The events of a stream as they are emitted. A broken connection is opened again after the last event, so none is lost
 * or duplicated. It rejects once the platform refuses the stream, for example after the emitter was deleted.
 */
export async function* follow(
  open: Open,
  { lastEventId, onBegin, signal }: FollowOptions,
): AsyncGenerator<StreamedEvent, void, undefined> {
  let place = lastEventId;
  const opened: Open = async (at) => {
    const response = await open(at);
    if (at.lastEventId === undefined) onBegin?.();
    return response;
  };
  for (let failures = 0; ; failures += 1) {
    if (failures > 0) await sleep(backoff(failures - 1), signal);
    try {
      for await (const { id, event } of connection(opened, place, signal)) {
        yield event;
        place = id;
        failures = 0;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof WellspringError && !isTransient(error)) throw error;
    }
  }
}

function isTransient({ status }: WellspringError): boolean {
  return status === 429 || status >= 500;
}

/** The events of one connection, until it ends or is silent for too long. */
async function* connection(
  open: Open,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, undefined> {
  const connected = new AbortController();
  const abort = () => connected.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const watchdog = watch(connected);
  try {
    signal?.throwIfAborted();
    const { body } = await open({ lastEventId, signal: connected.signal });
    if (!body) return;
    yield* messages(body, watchdog.reset);
  } finally {
    watchdog.stop();
    signal?.removeEventListener("abort", abort);
    connected.abort();
  }
}

async function* messages(
  body: ReadableStream<Bytes>,
  onChunk: () => void,
): AsyncGenerator<Message, void, undefined> {
  const reader = body
    .pipeThrough(seen(onChunk))
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const event: StreamedEvent = JSON.parse(value.data);
    yield { id: value.id ?? event.id, event };
  }
}

function seen(onChunk: () => void): TransformStream<Bytes, Bytes> {
  return new TransformStream({
    transform(chunk, controller) {
      onChunk();
      controller.enqueue(chunk);
    },
  });
}

function watch(connected: AbortController): { reset: () => void; stop: () => void } {
  const expire = () => connected.abort(new Error("The stream was silent for too long"));
  let timer = setTimeout(expire, SILENCE_MS);
  const stop = () => clearTimeout(timer);
  const reset = () => {
    stop();
    timer = setTimeout(expire, SILENCE_MS);
  };
  return { reset, stop };
}
