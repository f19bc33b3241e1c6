/**
 * The position of an event among all events of its source: epoch milliseconds × 1,000 plus a counter within that
 * millisecond. One integer orders, pages and deletes events, and stays exact in a double until the year 2255.
 */
export type Position = number;

const PER_MILLISECOND = 1000;

/** Number of lanes: objects that emit the events of one source at the same time get positions of a lane each. */
export const LANES = 16;

/** The lane of a position, from 0 on. */
export function laneOf(position: Position): number {
  return position % LANES;
}

/** The position of the next event: always after the last one, even if the clock jumps back; in a lane, if given. */
export function nextPosition(last: Position, nowMs: number, lane?: number): Position {
  const next = Math.max(last + 1, nowMs * PER_MILLISECOND);
  return lane === undefined ? next : next + ((lane - laneOf(next) + LANES) % LANES);
}

/** The first position of a millisecond. */
export function positionAt(ms: number): Position {
  return Math.max(0, ms) * PER_MILLISECOND;
}

/** The public id of a position: `<epoch ms>-<count>` (docs/contract.md: Event summaries). */
export function eventId(position: Position): string {
  return `${millisecondsOf(position)}-${position % PER_MILLISECOND}`;
}

/** The time at which the event at this position was emitted, epoch milliseconds. */
export function millisecondsOf(position: Position): number {
  return Math.floor(position / PER_MILLISECOND);
}

/** Whether an event was emitted while its listener already listened; `sinceMs`: absent where it always has. */
export function isEmittedSince(position: Position, sinceMs = 0): boolean {
  return millisecondsOf(position) >= sinceMs;
}

/** The position of an event id, or undefined if it is no event id. */
export function positionOf(id: string): Position | undefined {
  const [, ms, count] = /^(\d{1,13})-(\d{1,3})$/.exec(id) ?? [];
  if (ms === undefined || count === undefined) return undefined;
  const position = Number(ms) * PER_MILLISECOND + Number(count);
  return Number.isSafeInteger(position) ? position : undefined;
}
