import { useSyncExternalStore } from "react";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

const REFRESH_MS = 10_000;

/** A moment, relative to now; the exact time is shown on hover. `at` is epoch milliseconds. */
export function Time({ at }: { at: number }) {
  useTicks();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)} className="whitespace-nowrap">
      {sinceNow(at)}
    </time>
  );
}

/** A moment with its date, seconds and zone. */
export function exactTime(date: Date): string {
  return exact.format(date);
}

function sinceNow(at: number): string {
  const seconds = Math.round((at - Date.now()) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** One clock for all times of a page, because a list has very many. */
let ticks = 0;
const watchers = new Set<() => void>();

setInterval(() => {
  ticks += 1;
  for (const notify of watchers) notify();
}, REFRESH_MS);

/** Rerenders the caller from time to time. */
function useTicks(): void {
  useSyncExternalStore(watchTicks, () => ticks);
}

function watchTicks(notify: () => void): () => void {
  watchers.add(notify);
  return () => watchers.delete(notify);
}
