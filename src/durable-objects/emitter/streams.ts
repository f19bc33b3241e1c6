import { isAmong } from "#domain/channels.ts";
import { eventId, millisecondsOf, positionAt, positionOf } from "#domain/event-ids.ts";
import type { EventSummary } from "#domain/events.ts";
import { valueOf } from "#domain/json.ts";

/**
 * A comment is sent this often, so that proxies and readers see that the stream is alive
 * (docs/contract.md: Real-time stream).
 */
const KEEP_ALIVE_MS = 15_000;

/** Maximum buffered bytes of a reader. A slower reader is disconnected, and resumes where it was. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** Events of several objects have no common order: a resumed stream repeats those that may have overtaken others. */
const OVERTAKING_MS = 2000;

type Reader = {
  controller: ReadableStreamDefaultController<Uint8Array>;
  channels: readonly string[];
  /** The streams of other shards, which are passed on. */
  feeds: ReadableStreamDefaultReader<string>[];
};

type Missed = { events: readonly EventSummary[]; isAll: boolean };
const NOTHING_MISSED: Missed = { events: [], isAll: true };

const encoder = new TextEncoder();

/** The readers of an emitter's events over server-sent events. */
export class Streams {
  readonly #emitterId: string;
  readonly #isSharded: () => boolean;
  readonly #readers = new Set<Reader>();
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  /** `isSharded`: whether other objects emit events of the same emitter. */
  constructor(emitterId: string, isSharded: () => boolean = () => false) {
    this.#emitterId = emitterId;
    this.#isSharded = isSharded;
  }

  hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /**
   * Open a stream of some channels, or of all but the platform's own if none is named; `missed` are the first events,
   * oldest first. If these are not all, the stream ends with them, and its reader resumes. `feeds`: the streams of other
   * shards.
   */
  open(
    channels: readonly string[],
    missed: Missed = NOTHING_MISSED,
    feeds: readonly ReadableStream<Uint8Array>[] = [],
  ): Response {
    let reader: Reader;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = { controller, channels, feeds: feeds.map(textReader) };
          this.#readers.add(reader);
          this.#keepAlive ??= setInterval(() => this.#comment(), KEEP_ALIVE_MS);
          // Sent at once, so that the client knows that the stream is open.
          controller.enqueue(encoder.encode(": open\n\n"));
          for (const summary of missed.events) controller.enqueue(this.#message(summary));
          if (!missed.isAll) this.#end(reader);
          for (const feed of reader.feeds) void this.#passOn(reader, feed);
        },
        cancel: () => this.#drop(reader),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
    );
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  }

  publish(summaries: readonly EventSummary[]): void {
    for (const summary of summaries) {
      const message = this.#message(summary);
      for (const reader of this.#readers)
        if (isAmong(reader.channels, summary.channel)) this.#send(reader, message);
    }
  }

  /** End every stream: the emitter was deleted. */
  close(): void {
    for (const reader of this.#readers) this.#end(reader);
  }

  #message(summary: EventSummary): Uint8Array {
    const id = this.#isSharded() ? before(summary.id) : summary.id;
    return encoder.encode(`id: ${id}\ndata: ${summaryText(summary, this.#emitterId)}\n\n`);
  }

  /** Pass on the messages of another shard. If its stream ends, this one does, and its reader resumes. */
  async #passOn(reader: Reader, feed: Reader["feeds"][number]): Promise<void> {
    let text = "";
    try {
      for (let next = await feed.read(); !next.done; next = await feed.read()) {
        const messages = (text + next.value).split("\n\n");
        text = messages.pop() ?? "";
        for (const message of messages)
          if (message.startsWith("id: ")) this.#send(reader, encoder.encode(`${message}\n\n`));
      }
    } catch {
      // Its object was restarted.
    }
    this.#end(reader);
  }

  #comment(): void {
    const comment = encoder.encode(": keep-alive\n\n");
    for (const reader of this.#readers) this.#send(reader, comment);
  }

  #send(reader: Reader, message: Uint8Array): void {
    if (!this.#readers.has(reader)) return;
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
    for (const feed of reader.feeds) void feed.cancel().catch(() => undefined);
    if (this.#readers.size > 0) return;
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }
}

function textReader(feed: ReadableStream<Uint8Array>): ReadableStreamDefaultReader<string> {
  return feed.pipeThrough(new TextDecoderStream()).getReader();
}

/** The position before all events that an event may have overtaken, as an event id. */
function before(id: string): string {
  const position = positionOf(id) ?? 0;
  return eventId(positionAt(millisecondsOf(position) - OVERTAKING_MS));
}

/**
 * An event summary as JSON text (docs/contract.md: Event summaries). The payload is rewritten: a line break in it would
 * end the message.
 */
function summaryText(summary: EventSummary, emitterId: string): string {
  const { id, indexedAtMs, payload, channel, emitId, meta } = summary;
  const metadata = JSON.stringify({
    emit_id: emitId,
    name: channel,
    emitter_id: emitterId,
    ...meta,
  });
  return `{"id":"${id}","indexed_at_ms":${indexedAtMs},"event":${JSON.stringify(valueOf(payload))},"metadata":${metadata}}`;
}
