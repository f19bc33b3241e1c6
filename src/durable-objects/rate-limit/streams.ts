/** Time after a withdrawal of access for which earlier requests for a stream are still refused. */
const REFUSED_MS = 10_000;

/** The reason why a stream may not be opened. */
export type StreamRefusal = "ended" | "too_many";

type Stream = Passed & { abort: AbortController };

/** The owner of a stream's emitter, and whether it is part of a merged stream. */
export type Passed = { owner: string; isPart: boolean };

/** Maximum open parts of merged streams, for each stream of a key. */
const PARTS_PER_STREAM = 10;

/** The open streams of one API key, of emitters of several owners. */
export class OpenStreams {
  readonly #max: number;
  readonly #open = new Set<Stream>();
  /** The time of the withdrawal of access, by owner; `undefined`: to everything. */
  readonly #endedAtMs = new Map<string | undefined, number>();

  constructor(max: number) {
    this.#max = max;
  }

  refusal({ owner, isPart }: Passed, nowMs: number): StreamRefusal | undefined {
    const isEnded = [undefined, owner].some(
      (of) => nowMs - (this.#endedAtMs.get(of) ?? -Infinity) < REFUSED_MS,
    );
    if (isEnded) return "ended";
    const max = isPart ? this.#max * PARTS_PER_STREAM : this.#max;
    const count = [...this.#open].filter((stream) => stream.isPart === isPart).length;
    return count >= max ? "too_many" : undefined;
  }

  /** Open a stream and pass it on until either side closes it, or access is withdrawn. */
  async pass(passed: Passed, open: () => Promise<Response>): Promise<Response> {
    const stream: Stream = { ...passed, abort: new AbortController() };
    this.#open.add(stream);
    const response = await open().catch((error: unknown) => {
      this.#open.delete(stream);
      throw error;
    });
    const { body } = response;
    if (!response.ok || !body) {
      this.#open.delete(stream);
      return response;
    }
    const { readable, writable } = new IdentityTransformStream();
    void this.#pump(stream, body, writable);
    return new Response(readable, response);
  }

  /** End the streams of an owner's emitters, or all of them, and refuse those that are about to be opened. */
  end(owner: string | undefined, nowMs: number): void {
    this.#endedAtMs.set(owner, nowMs);
    for (const stream of this.#open)
      if (owner === undefined || stream.owner === owner) stream.abort.abort();
  }

  async #pump(stream: Stream, from: ReadableStream, to: WritableStream): Promise<void> {
    try {
      await from.pipeTo(to, { signal: stream.abort.signal, preventAbort: true });
    } catch {
      // The reader disconnected, the emitter was deleted, or access was revoked: the stream ends without an error.
      await to.close().catch(() => undefined);
    } finally {
      this.#open.delete(stream);
    }
  }
}
