import { isAmong } from "#domain/channels.ts";
import { type Position, positionOf } from "#domain/event-ids.ts";
import type { EventSummary } from "#domain/events.ts";
import { valueOf } from "#domain/json.ts";
import type { Shard } from "#domain/source-shards.ts";
import { beforeMissing, messageId, type Places } from "#domain/stream-places.ts";

/**
 * A comment is sent this often, so that proxies and readers see that the stream is alive
 * (docs/contract.md: Real-time stream).
 */
const KEEP_ALIVE_MS = 15_000;

/** Maximum buffered bytes of a reader. A slower reader is disconnected, and resumes where it was. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** The stream of another shard, and the position of its newest event. Without a body it has no events. */
export type Feed = { shard: Shard; body: ReadableStream<Uint8Array> | null; newest: Position };

type OpenFeed = { shard: Shard; reader: ReadableStreamDefaultReader<string> };

type Reader = {
  controller: ReadableStreamDefaultController<Uint8Array>;
  channels: readonly string[];
  /** The streams of other shards, which are passed on. */
  feeds: OpenFeed[];
  /** What it has of each shard, by number; undefined: it reads one object alone. */
  places: Position[] | undefined;
  isFeed: boolean;
};

export type Missed = { events: readonly EventSummary[]; isAll: boolean };

type Opening = {
  /** All but the platform's own if none is named. */
  channels: readonly string[];
  /** The first events, oldest first. If these are not all, the stream ends with them, and its reader resumes. */
  missed: Missed;
  /** The streams of other shards. */
  feeds: readonly Feed[];
  /** The place of the reader in each shard; undefined: it reads one object alone. */
  places: Places | undefined;
  /** Whether another shard reads it, which makes the ids of messages. */
  isFeed: boolean;
};

const encoder = new TextEncoder();

/** The readers of an emitter's events over server-sent events. */
export class Streams {
  readonly #emitterId: string;
  readonly #isShard: boolean;
  readonly #readers = new Set<Reader>();
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  /** `isShard`: whether this is a shard beside the emitter's own object. */
  constructor(emitterId: string, isShard = false) {
    this.#emitterId = emitterId;
    this.#isShard = isShard;
  }

  hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Open a stream. */
  open({ channels, missed, feeds, places, isFeed }: Opening): Response {
    let reader: Reader;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = {
            controller,
            channels,
            feeds: feeds.flatMap(openFeed),
            places: places && [...places],
            isFeed,
          };
          this.#readers.add(reader);
          this.#keepAlive ??= setInterval(() => this.#comment(), KEEP_ALIVE_MS);
          // Sent at once, so that the client knows that the stream is open.
          controller.enqueue(encoder.encode(": open\n\n"));
          for (const summary of missed.events)
            controller.enqueue(this.#message(reader, summary.id, this.#data(summary)));
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
      const data = this.#data(summary);
      for (const reader of this.#readers)
        if (isAmong(reader.channels, summary.channel))
          this.#send(reader, this.#message(reader, summary.id, data));
    }
  }

  /** End every stream: the emitter was deleted. */
  close(): void {
    for (const reader of this.#readers) this.#end(reader);
  }

  #data(summary: EventSummary): string {
    return `data: ${summaryText(summary, this.#emitterId)}`;
  }

  /** The message with an event of a shard, after which its reader resumes. */
  #message(reader: Reader, id: string, data: string, shard: Shard = 0): Uint8Array {
    const { places, isFeed } = reader;
    if (places) places[shard] = Math.max(places[shard] ?? 0, positionOf(id) ?? 0);
    // The previous release's source passes on the messages of its shards as they are.
    const own = isFeed || !this.#isShard ? id : beforeMissing(id);
    return encoder.encode(`id: ${places ? messageId(places) : own}\n${data}\n\n`);
  }

  /** Pass on the messages of another shard. If its stream ends, this one does, and its reader resumes. */
  async #passOn(reader: Reader, { shard, reader: feed }: OpenFeed): Promise<void> {
    let text = "";
    try {
      for (let next = await feed.read(); !next.done; next = await feed.read()) {
        const messages = (text + next.value).split("\n\n");
        text = messages.pop() ?? "";
        for (const message of messages) {
          const [, id, data] = /^id: (\S+)\n(data: .*)$/s.exec(message) ?? [];
          if (id !== undefined && data !== undefined)
            this.#send(reader, this.#message(reader, id, data, shard));
        }
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
    for (const { reader: feed } of reader.feeds) void feed.cancel().catch(() => undefined);
    if (this.#readers.size > 0) return;
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }
}

function openFeed({ shard, body }: Feed): OpenFeed[] {
  return body ? [{ shard, reader: body.pipeThrough(new TextDecoderStream()).getReader() }] : [];
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
