import { SYSTEM_PREFIX } from "../domain/channels.ts";
import type { EventSummary } from "../domain/events.ts";

/** A comment goes out this often, so that proxies and readers see that the stream is alive (design: Real-time stream). */
const KEEP_ALIVE_MS = 15_000;

/** How many messages may wait for a reader. One that reads slower than that is let go, and resumes where it was. */
const MOST_UNREAD = 256;

type Reader = {
  controller: ReadableStreamDefaultController<Uint8Array>;
  channel: string | undefined;
};

const encoder = new TextEncoder();

/** The readers of an emitter's events as they are emitted, over server-sent events. */
export class Streams {
  readonly #emitterId: string;
  readonly #readers = new Set<Reader>();
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(emitterId: string) {
    this.#emitterId = emitterId;
  }

  hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Open a stream of one channel, or of all but the platform's own; `missed` are the events to begin with, oldest first. */
  open(channel: string | undefined, missed: readonly EventSummary[]): Response {
    let reader: Reader;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = { controller, channel };
          this.#readers.add(reader);
          this.#keepAlive ??= setInterval(() => this.#comment(), KEEP_ALIVE_MS);
          // Sent at once, so that whoever opens a stream knows that it is open.
          controller.enqueue(encoder.encode(": open\n\n"));
          for (const summary of missed) controller.enqueue(this.#message(summary));
        },
        cancel: () => this.#drop(reader),
      },
      new CountQueuingStrategy({ highWaterMark: MOST_UNREAD }),
    );
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  }

  publish(summaries: readonly EventSummary[]): void {
    for (const summary of summaries) {
      const message = this.#message(summary);
      for (const reader of this.#readers) if (hears(reader, summary)) this.#send(reader, message);
    }
  }

  /** End every stream: the emitter is no more. */
  close(): void {
    for (const reader of this.#readers) this.#end(reader);
  }

  #message(summary: EventSummary): Uint8Array {
    return encoder.encode(`id: ${summary.id}\ndata: ${summaryText(summary, this.#emitterId)}\n\n`);
  }

  #comment(): void {
    const comment = encoder.encode(": keep-alive\n\n");
    for (const reader of this.#readers) this.#send(reader, comment);
  }

  #send(reader: Reader, message: Uint8Array): void {
    if ((reader.controller.desiredSize ?? 0) > 0) reader.controller.enqueue(message);
    else this.#end(reader);
  }

  #end(reader: Reader): void {
    this.#drop(reader);
    try {
      reader.controller.close();
    } catch {
      // The other side closed it first.
    }
  }

  #drop(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }
}

function hears({ channel }: Reader, summary: EventSummary): boolean {
  return channel === undefined
    ? !summary.channel.startsWith(SYSTEM_PREFIX)
    : channel === summary.channel;
}

/** An event summary as JSON text (spec: Event summary); the payload goes in as the JSON that it is. */
function summaryText(summary: EventSummary, emitterId: string): string {
  const { id, indexedAtMs, payload, channel, emitId, meta } = summary;
  const metadata = JSON.stringify({
    emit_id: emitId,
    name: channel,
    emitter_id: emitterId,
    ...meta,
  });
  return `{"id":"${id}","indexed_at_ms":${indexedAtMs},"event":${payload},"metadata":${metadata}}`;
}
