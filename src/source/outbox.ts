import type { Position } from "../domain/event-ids.ts";
import type { EmissionMessage } from "../domain/messages.ts";

/** How long emissions gather before they go into one message: hardly at all when they come now and then, … */
const GATHER_MS = 1;

/** … and longer when they come in a stream: each message costs the router more than a hundred events cost it. */
const GATHER_IN_STREAM_MS = 150;

/** What comes this soon after a message belongs to a stream. */
const STREAM_GAP_MS = 4;

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
  #lastSentMs = 0;
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
      const isStream = Date.now() - this.#lastSentMs < STREAM_GAP_MS;
      await scheduler.wait(isStream ? GATHER_IN_STREAM_MS : GATHER_MS);
      await this.#send(this.#gathered.splice(0, POSITIONS_PER_MESSAGE));
      this.#lastSentMs = Date.now();
    }
    this.#busy = false;
  }

  async #send(positions: Position[]): Promise<void> {
    try {
      await this.#queue.send({ sourceId: this.#sourceId, positions });
    } catch (error) {
      console.warn("The queue took no message; the sweep will send it again", error);
    }
  }
}
