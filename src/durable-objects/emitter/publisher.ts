import type { Position } from "#domain/event-ids.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";

import type { EventHistory } from "./history.ts";
import { type Outbox, REDELIVERY_DELAY_MS } from "./outbox.ts";
import type { Streams } from "./streams.ts";

type Deps = {
  history: EventHistory;
  outbox: Outbox;
  streams: Streams;
  alarm: Alarm;
};

/** Notifies the router and the streams of committed events. */
export class Publisher {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Notify them of the events at these positions, which are now to be delivered. */
  publish(positions: readonly Position[]): void {
    if (positions.length === 0) return;
    const { history, outbox, streams, alarm } = this.#deps;
    alarm.arm(Date.now() + REDELIVERY_DELAY_MS);
    outbox.notify(positions);
    if (streams.hasReaders()) streams.publish(history.reader.summaries(positions));
  }
}
