import { DurableObject } from "cloudflare:workers";

import { isId } from "#domain/ids.ts";
import { countIn, type KeyWindows, type Window, withRequest } from "#domain/rate-limits.ts";

import { OpenStreams } from "./streams.ts";

/** Maximum open streams of a key. */
const MAX_STREAMS = 100;

/** Interval of the writes to a stream that only counts. */
const LIFE_INTERVAL_MS = 5000;

const REFUSALS = {
  ended: { status: 404, code: "not_found", error: "This key has no access to such an emitter" },
  too_many: {
    status: 429,
    code: "rate_limited",
    error: `An API key may have at most ${MAX_STREAMS} streams open`,
  },
};

/**
 * Counts the requests of an owner and of each of its keys, wherever they arrive, or passes on the open streams of a key.
 * In memory only: a window ends before an idle object is evicted, and a restart ends the streams, too.
 */
export class RateLimitObject extends DurableObject<Env> {
  #window: Window | undefined;
  readonly #windows = new Map<string, Window>();
  readonly #streams = new OpenStreams(MAX_STREAMS);

  async count(): Promise<Window> {
    this.#window = withRequest(this.#window, Date.now());
    return this.#window;
  }

  /** Count a request of one of an owner's keys. Returns the key's window, and that of all. */
  async countOf(key: string): Promise<KeyWindows> {
    const nowMs = Date.now();
    const ofOwner = withRequest(this.#window, nowMs);
    // Windows of keys that are not used any more.
    if (ofOwner.count === 1)
      for (const [each, { endsAtMs }] of this.#windows)
        if (endsAtMs <= nowMs) this.#windows.delete(each);
    const ofKey = withRequest(this.#windows.get(key), nowMs);
    this.#window = ofOwner;
    this.#windows.set(key, ofKey);
    return { ofKey, ofOwner };
  }

  /** The number of requests in the open window, which this one does not join. */
  async counted(): Promise<number> {
    return countIn(this.#window, Date.now());
  }

  /** End the streams of an owner's emitters; without an owner, all open streams of the key. */
  async endStreams(owner?: string): Promise<void> {
    this.#streams.end(owner, Date.now());
  }

  /**
   * Open a stream of the emitter in the URL, which also names its owner; without one, a stream that only counts. The
   * only method that `fetch` calls.
   */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { owner = "", emitter = "" } = Object.fromEntries(url.searchParams);
    const passed = { owner, isPart: url.searchParams.has("part") };
    const refusal = this.#streams.refusal(passed, Date.now());
    if (refusal) return refused(REFUSALS[refusal]);
    if (emitter === "") return this.#streams.pass(passed, async () => new Response(signsOfLife()));
    const emitters = isId("workflow", emitter) ? this.env.WORKFLOWS : this.env.SOURCES;
    return this.#streams.pass(passed, () => emitters.getByName(emitter).fetch(url));
  }
}

/** The platform notices on the next write that the other side closed a stream. */
function signsOfLife(): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const send = () => controller.enqueue(new Uint8Array(1));
      timer = setInterval(send, LIFE_INTERVAL_MS);
      send();
    },
    cancel: () => clearInterval(timer),
  });
}

function refused({ status, code, error }: (typeof REFUSALS)["ended"]): Response {
  const headers = { ...(status === 429 && { "retry-after": "5" }) };
  return Response.json({ error, code }, { status, headers });
}
