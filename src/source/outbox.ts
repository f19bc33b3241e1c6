import type { Position } from "../domain/event-ids.ts";
import type { EmissionMessage } from "../domain/messages.ts";

/** How long emissions gather before they go into one message: hardly at all when they come now and then, … */
const GATHER_MS = 1;

/** … and longer when they come in a stream: each message costs the router more than a hundred events cost it. */
const GATHER_IN_STREAM_MS = 150;

/** So many events a second are a stream; they are counted over a window, because a clump is none. */
const STREAM_PER_SECOND = 200;
const WINDOW_MS = 100;

/** How long an event may stay in the outbox before the queue is told of it again. */
export const REDELIVERY_DELAY_MS = 30_000;

/** A message may have 128 KB; a position takes 17 bytes of it. */
const POSITIONS_PER_MESSAGE = 1000;

/**
 * Tells the router that events wait. The queue is an accelerator only: what it loses is told again from the
 * `undelivered` rows of the history, so a message that cannot be sent is no failure.
 */
export class Outbox {
  readonly #queue: Queue<EmissionMessage>;
  readonly #sourceId: string;
  #gathered: Position[] = [];
  #busy = false;
  #windowStartMs = 0;
  #windowLength = 0;
  #isStream = false;
  #isHeld = false;

  constructor(queue: Queue<EmissionMessage>, sourceId: string) {
    this.#queue = queue;
    this.#sourceId = sourceId;
  }

  notify(positions: readonly Position[]): void {
    this.#gathered.push(...positions);
    if (this.#gathered.length > 0 && !this.#busy && !this.#isHeld) void this.#drain();
  }

  /** Tell nobody yet: what the hooks of a source emit that is never deployed must reach nobody. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.notify([]);
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    while (this.#gathered.length > 0) {
      await scheduler.wait(this.#isStream ? GATHER_IN_STREAM_MS : GATHER_MS);
      const positions = this.#gathered.splice(0, POSITIONS_PER_MESSAGE);
      this.#count(positions.length);
      await this.#send(positions);
    }
    this.#busy = false;
  }

  /** Count events, and decide at the end of each window whether they are a stream. */
  #count(length: number): void {
    this.#windowLength += length;
    const elapsedMs = Date.now() - this.#windowStartMs;
    if (elapsedMs < WINDOW_MS) return;
    this.#isStream = (this.#windowLength * 1000) / elapsedMs > STREAM_PER_SECOND;
    this.#windowStartMs += elapsedMs;
    this.#windowLength = 0;
  }

  async #send(positions: Position[]): Promise<void> {
    try {
      await this.#queue.send({ sourceId: this.#sourceId, positions });
    } catch (error) {
      console.warn("The queue took no message; the sweep will send it again", error);
    }
  }
}
