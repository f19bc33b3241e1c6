import type { Position } from "#domain/event-ids.ts";
import { log } from "#telemetry/log.ts";

/** Time for which emissions gather into one message: hardly any if they are rare, … */
const GATHER_MS = 1;

/** … longer in a stream of them: each message costs the router more than a hundred events do. */
const GATHER_IN_STREAM_MS = 150;

/** … and longest if the last ones had no listeners. */
const GATHER_UNSUBSCRIBED_MS = 1000;

/** Minimum rate of a stream, in events per second; measured over a window, because a burst is no stream. */
const STREAM_PER_SECOND = 200;
const WINDOW_MS = 100;

/** Maximum age of an event in the outbox before it is sent to the queue again. */
export const REDELIVERY_DELAY_MS = 30_000;

/** A message may have 128 KB; a position takes 17 bytes of it. */
const POSITIONS_PER_MESSAGE = 1000;

/**
 * Notifies the router of waiting events. The queue is only a wake-up signal: lost messages are sent again from the
 * `undelivered` rows of the history, so a message that cannot be sent is no failure.
 */
export class Outbox {
  readonly #send: (positions: Position[]) => Promise<void>;
  #gathered: Position[] = [];
  #busy = false;
  #windowStartMs = 0;
  #windowLength = 0;
  #isStream = false;
  #hasSubscribers = true;
  #isHeld = false;

  /** `send` sends a message to the queue. */
  constructor(send: (positions: Position[]) => Promise<void>) {
    this.#send = send;
  }

  notify(positions: readonly Position[]): void {
    this.#gathered.push(...positions);
    if (this.#gathered.length > 0 && !this.#busy && !this.#isHeld) void this.#drain();
  }

  /** Hold notifications back: events of a source with a failing deploy must not be delivered. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.notify([]);
  }

  /** Record whether the last delivered events had subscribers. */
  setHasSubscribers(hasSubscribers: boolean): void {
    this.#hasSubscribers = hasSubscribers;
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    while (this.#gathered.length > 0) {
      await scheduler.wait(this.#gatherMs());
      const positions = this.#gathered.splice(0, POSITIONS_PER_MESSAGE);
      this.#count(positions.length);
      await this.#notifyRouter(positions);
    }
    this.#busy = false;
  }

  #gatherMs(): number {
    if (!this.#isStream) return GATHER_MS;
    return this.#hasSubscribers ? GATHER_IN_STREAM_MS : GATHER_UNSUBSCRIBED_MS;
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

  async #notifyRouter(positions: Position[]): Promise<void> {
    try {
      await this.#send(positions);
    } catch (error) {
      log("outbox_unsent", { count: positions.length, error });
    }
  }
}
