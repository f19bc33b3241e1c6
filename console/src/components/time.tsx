import { useEffect, useState } from "react";

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
  const nowMs = useNow();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)} className="whitespace-nowrap">
      {sinceOf(at, nowMs)}
    </time>
  );
}

function sinceOf(at: number, nowMs: number): string {
  const seconds = Math.round((at - nowMs) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
