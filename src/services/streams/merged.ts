import type { Followed } from "../context.ts";

/**
 * The interval of listing the emitters, and the maximum number of lists: a request has a limited number of subrequests.
 */
const LIST_INTERVAL_MS = 5000;
const MAX_LISTINGS = 360;

/** The number of intervals between comments, which show readers that the stream is alive. */
const LISTINGS_PER_COMMENT = 3;

/** Maximum buffered bytes. A slower reader is disconnected, and resumes at its position. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

type Deps = {
  /** The current emitters; undefined: the reader has lost access to them. */
  list: () => Promise<Followed[] | undefined>;
  open: (emitter: Followed, lastEventId: string | undefined) => Promise<Response>;
  /** A response whose body is open while the stream counts as one of its key's, and ends when the key loses access. */
  count: () => Promise<Response>;
  /** The event to begin after; undefined: only new events. */
  lastEventId: string | undefined;
};

type Part = { reader: ReadableStreamDefaultReader<string> };

const encoder = new TextEncoder();

/** The streams of several emitters as one, which those created meanwhile join. */
export class MergedStream {
  readonly #deps: Deps;
  readonly #parts = new Map<string, Part>();
  /** The last event of each emitter whose stream was open before: it resumes after it. */
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

  /** Open it. If it, or one of its parts, is refused because too many are open, that is the response. */
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

  /** Count it before any part is opened. */
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
      // Its object was restarted and lost the count: the reader resumes.
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

  /** Forward whole messages. A part that ends is opened again after the next list, if its emitter still exists. */
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
      // The client closed it first.
    }
  }
}
