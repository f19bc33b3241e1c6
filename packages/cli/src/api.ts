import { Readable } from "node:stream";

import { EventSourceParserStream } from "eventsource-parser/stream";

import type { Connection } from "./connection.ts";
import { Failure } from "./failure.ts";
import { Refusal, refusalOf } from "./refusal.ts";
import { warn } from "./terminal/output.ts";
import type { EventSummary, Page } from "./wire.ts";

export type Query = Record<string, string | number | readonly string[] | undefined>;

type ApiBody<T> = { data: T; warnings?: string[] };

type Request = { query?: Query; body?: unknown };

/** `after`: the event to begin after; `onOpen` is called each time the stream opens. */
type FollowOptions = { signal?: AbortSignal; onOpen?: () => void; after?: string };

/** The position of a stream. */
type Place = { last: string | undefined; seen: Set<string>; isOpened: boolean };

const PAGE = 100;

/** The delay before a broken stream is opened again. */
const RESUME_MS = 1000;

/** The API of a platform, with one key. */
export class Api {
  readonly url: string;
  /** The handler of warnings in responses. */
  onWarning: (warning: string) => void = warn;
  readonly #apiKey: string;
  readonly #base: string;

  constructor({ url, apiKey, base = "/v1" }: Connection) {
    this.url = url;
    this.#base = `${url}${base}`;
    this.#apiKey = apiKey;
  }

  /** Send a request, and return its JSON; undefined for a response without a body. Throws a `Failure` for a refusal. */
  async request<T>(method: string, path: string, { query = {}, body }: Request = {}): Promise<T> {
    const response = await this.#send(addressOf(this.#base, path, query), {
      method,
      headers: {
        ...this.#authorization(),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await refusalOf(response);
    const text = await response.text();
    return JSON.parse(text || "null");
  }

  /** Send a file as the body of a request. */
  async upload(path: string, file: Readable, headers: Record<string, string>): Promise<void> {
    // Node needs `duplex` for a stream as a body; the types of `fetch` lack it.
    const init = {
      method: "PUT",
      headers: { ...this.#authorization(), ...headers },
      body: Readable.toWeb(file),
      duplex: "half",
    };
    const response = await this.#send(addressOf(this.#base, path, {}), init);
    if (!response.ok) throw await refusalOf(response);
    await response.body?.cancel();
  }

  /** The `data` of a response. */
  async data<T>(method: string, path: string, request: Request = {}): Promise<T> {
    const { data, warnings = [] } = await this.request<ApiBody<T>>(method, path, request);
    for (const warning of warnings) this.onWarning(warning);
    return data;
  }

  /** The rows of a list, page by page, at most `limit`. */
  async *rows<T>(path: string, query: Query = {}, limit = Infinity): AsyncGenerator<T, void> {
    let after: string | undefined;
    for (let left = limit; left > 0;) {
      const size = Math.min(PAGE, left);
      const page: Page<T> = await this.request("GET", path, {
        query: { ...query, limit: size, after },
      });
      yield* page.data;
      left -= page.data.length;
      after = page.page_info.end_cursor ?? undefined;
      if (page.data.length < size || after === undefined) return;
    }
  }

  /** Events as they are emitted, without an end. A broken stream is resumed after the last event. */
  async *follow(
    path: string,
    query: Query,
    options: FollowOptions = {},
  ): AsyncGenerator<EventSummary, void> {
    const { signal } = options;
    const place: Place = { last: options.after, seen: new Set(), isOpened: false };
    for (;;) {
      try {
        yield* this.#events(addressOf(this.#base, path, query), place, options);
      } catch (error) {
        if (!isAborted(signal) && isFinal(error, place.isOpened)) throw error;
      }
      if (isAborted(signal)) return;
      await new Promise((resume) => setTimeout(resume, RESUME_MS));
    }
  }

  async *#events(
    address: URL,
    place: Place,
    { signal, onOpen }: FollowOptions,
  ): AsyncGenerator<EventSummary, void> {
    const response = await this.#open(address, place.last, signal);
    place.isOpened = true;
    onOpen?.();
    for await (const { id, data } of messagesIn(response)) {
      place.last = id;
      const event: EventSummary = JSON.parse(data);
      const emit = `${event.metadata.emitter_id} ${event.metadata.emit_id}`;
      if (!place.seen.has(emit)) yield event;
      place.seen.add(emit);
    }
  }

  async #open(address: URL, last: string | undefined, signal?: AbortSignal): Promise<Response> {
    const response = await this.#send(address, {
      headers: { ...this.#authorization(), ...(last !== undefined && { "last-event-id": last }) },
      ...(signal && { signal }),
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  #authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.#apiKey}`, "user-agent": "wellspring-cli" };
  }

  async #send(address: URL, init: RequestInit): Promise<Response> {
    try {
      return await fetch(address, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new Failure(`No platform responds at ${this.url}`, {
        next: "start a platform with `wellspring dev` or `npm start`, or set WELLSPRING_URL",
      });
    }
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

/** Whether a stream must not be reopened: it was refused, or the platform never responded. */
function isFinal(error: unknown, isOpened: boolean): boolean {
  if (error instanceof Refusal) return error.status < 500 && error.status !== 429;
  return error instanceof Failure && !isOpened;
}

function addressOf(base: string, path: string, query: Query): URL {
  const url = new URL(`${base}${path}`);
  for (const [name, value] of Object.entries(query))
    for (const one of [value ?? []].flat()) url.searchParams.append(name, String(one));
  return url;
}

/** Server-sent events with an id. */
async function* messagesIn({ body }: Response): AsyncGenerator<{ id: string; data: string }, void> {
  if (!body) return;
  const messages = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { id = "", data } of messages) yield { id, data };
}
