import { USAGE_FLUSH_SECONDS } from "#domain/billing.ts";

import type { Counts, Measure } from "./tally.ts";

/** The counted usage of one event, and of the write of a source's usage to D1, which many events share. */
export type Counted = { perSecond: number; perEvent: Counts; perFlush?: Counts };

/**
 * The usage of one event with its share of the write to D1, for an owner with one source: the write of an owner with more sources
 * costs less for each.
 */
export function withFlush({ perSecond, perEvent, perFlush = {} }: Counted): Counts {
  return added(perEvent, perFlush, 1 / Math.max(1, perSecond * USAGE_FLUSH_SECONDS));
}

/** The number of writes to D1 a second for events that come at random: a write waits for the first event after the last one. */
export function flushesPerSecond(eventsPerSecond: number): number {
  return eventsPerSecond === 0 ? 0 : 1 / (USAGE_FLUSH_SECONDS + 1 / eventsPerSecond);
}

/** The counts of `a` and `times` those of `b`. */
export function added(a: Counts, b: Counts, times: number): Counts {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of counts are measures.
  const measures = Object.keys({ ...a, ...b }) as Measure[];
  return Object.fromEntries(
    measures.map((what) => [what, (a[what] ?? 0) + times * (b[what] ?? 0)]),
  );
}
