import type { Position } from "#domain/event-ids.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";

import type { EventHistory } from "./history.ts";
import { type Outbox, REDELIVERY_DELAY_MS } from "./outbox.ts";
import type { Streams } from "./streams.ts";

type Deps = {
  storage: DurableObjectStorage;
  history: EventHistory;
  outbox: Outbox;
  streams: Streams;
  alarm: Alarm;
};

/** Commits emits with all that belongs to them, and then notifies the router and the streams. */
export class Publisher {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Do all of `write` or nothing, which returns the positions that are now to be delivered. Throws what it throws,
   * and then copies of storage in memory must be dropped.
   */
  publish(write: () => Position[]): void {
    const { storage, history, outbox, streams, alarm } = this.#deps;
    try {
      const positions = storage.transactionSync(write);
      if (positions.length === 0) return;
      alarm.arm(Date.now() + REDELIVERY_DELAY_MS);
      outbox.notify(positions);
      if (streams.hasReaders()) streams.publish(history.reader.summaries(positions));
    } catch (error) {
      history.reset();
      throw error;
    }
  }
}
