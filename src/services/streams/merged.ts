import type { Followed } from "../context.ts";

/** How often it lists its emitters, and how many times before it ends: a request has a limited number of subrequests. */
const LIST_INTERVAL_MS = 5000;
const MAX_LISTINGS = 360;

/** A comment goes out after so many of these intervals, so that readers see that the stream is alive. */
const LISTINGS_PER_COMMENT = 3;

/** Maximum buffered bytes. A slower reader is disconnected, and resumes where it was. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

type Deps = {
  /** The emitters to follow now; undefined: the reader may follow none any more. */
  list: () => Promise<Followed[] | undefined>;
  open: (emitter: Followed, lastEventId: string | undefined) => Promise<Response>;
  /** A response whose body stays open while the stream is counted as one of its key's, and ends when the key may have none. */
  count: () => Promise<Response>;
  /** The event after which to begin; undefined: with new events. */
  lastEventId: string | undefined;
};

type Part = { reader: ReadableStreamDefaultReader<string> };

const encoder = new TextEncoder();

/** The streams of several emitters as one, which those that are made meanwhile join. */
export class MergedStream {
  readonly #deps: Deps;
  readonly #parts = new Map<string, Part>();
  /** The last event of each emitter whose stream was open before, after which it resumes. */
  readonly #last = new Map<string, string>();
  /** The position at which an emitter that joins later begins. */
  readonly #openedAs = `${Date.now()}-0`;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #counted: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listings = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Open it. Where it, or one of its parts, is refused because too many are open, that is the response. */
  async open(): Promise<Response> {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          this.#send(": open\n\n");
        },
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
    );
    const refusal = (await this.#count()) ?? (await this.#joinAll(this.#deps.lastEventId));
    if (refusal) {
      this.#end();
      return refusal;
    }
    this.#schedule();
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  }

  /** Have it counted before any part is opened. */
  async #count(): Promise<Response | undefined> {
    const response = await this.#deps.count();
    if (!response.ok || !response.body) return response;
    this.#counted = response.body.getReader();
    void this.#endWith(this.#counted);
    return undefined;
  }

  async #endWith(counted: ReadableStreamDefaultReader): Promise<void> {
    try {
      while (!(await counted.read()).done);
    } catch {
      // Its object was restarted, and counts no longer: the reader resumes.
    }
    this.#end();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#look(), LIST_INTERVAL_MS);
  }

  async #look(): Promise<void> {
    this.#listings += 1;
    try {
      await this.#joinAll(this.#openedAs);
    } catch {
      // The reader resumes.
      return this.#end();
    }
    if (this.#listings % LISTINGS_PER_COMMENT === 0) this.#send(": keep-alive\n\n");
    if (this.#listings >= MAX_LISTINGS) return this.#end();
    if (this.#controller) this.#schedule();
  }

  /** Open the streams of emitters that have none yet. */
  async #joinAll(from: string | undefined): Promise<Response | undefined> {
    const emitters = await this.#deps.list();
    if (!emitters) {
      this.#end();
      return undefined;
    }
    const missing = emitters.filter(({ id }) => !this.#parts.has(id));
    const opened = await Promise.all(missing.map((one) => this.#join(one, from)));
    return opened.find((response) => response?.status === 429);
  }

  async #join(emitter: Followed, from: string | undefined): Promise<Response | undefined> {
    const response = await this.#deps.open(emitter, this.#last.get(emitter.id) ?? from);
    if (!response.ok || !response.body) return response;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    this.#parts.set(emitter.id, { reader });
    void this.#pass(emitter.id, reader);
    return undefined;
  }

  /** Pass whole messages on. A part that ends is opened again by the next look, where its emitter is still there. */
  async #pass(id: string, reader: Part["reader"]): Promise<void> {
    let text = "";
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const messages = (text + next.value).split("\n\n");
        text = messages.pop() ?? "";
        for (const message of messages) this.#message(id, message);
      }
    } catch {
      // Its object was restarted.
    } finally {
      this.#parts.delete(id);
    }
  }

  #message(id: string, message: string): void {
    const [, eventId] = /^id: (.*)$/m.exec(message) ?? [];
    if (eventId === undefined) return;
    this.#last.set(id, eventId);
    this.#send(`${message}\n\n`);
  }

  #send(text: string): void {
    if (!this.#controller) return;
    if ((this.#controller.desiredSize ?? 0) <= 0) return this.#end();
    this.#controller.enqueue(encoder.encode(text));
  }

  #end(): void {
    clearTimeout(this.#timer);
    const controller = this.#controller;
    this.#controller = undefined;
    void this.#counted?.cancel().catch(() => undefined);
    for (const { reader } of this.#parts.values()) void reader.cancel().catch(() => undefined);
    try {
      controller?.close();
    } catch {
      // The other side closed it first.
    }
  }
}
