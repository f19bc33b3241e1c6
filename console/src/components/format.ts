const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

const DURATION_UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** A number with separators between thousands: `12,345.6`. */
export function formatNumber(value: number): string {
  return decimal.format(value);
}

/** A number in as few characters as possible: `12.3K`. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** A share of one as a percentage: `12.5%`. */
export function formatPercent(share: number): string {
  return percent.format(share);
}

/** A size in the largest unit of 1,000 that it has at least one of: `1.5 kB`. */
export function formatBytes(bytes: number): string {
  const exponent = Math.min(
    BYTE_UNITS.length - 1,
    bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3),
  );
  return `${decimal.format(bytes / 1000 ** exponent)} ${BYTE_UNITS[exponent]}`;
}

/** A duration in its two largest units: `1 h 5 min`, `2.4 s`, `80 ms`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${decimal.format(durationMs)} ms`;
  const index = DURATION_UNITS.findIndex(([, sizeMs]) => durationMs >= sizeMs);
  const [unit, sizeMs] = DURATION_UNITS[index] ?? ["s", 1000];
  const smaller = DURATION_UNITS[index + 1];
  if (!smaller) return `${decimal.format(durationMs / sizeMs)} ${unit}`;
  const rest = Math.floor((durationMs % sizeMs) / smaller[1]);
  const whole = `${Math.floor(durationMs / sizeMs)} ${unit}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smaller[0]}`;
}

/** The change of a number from the former one: `+12.5%`; undefined without a former one. */
export function formatChange(value: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const change = (value - before) / before;
  return `${change > 0 ? "+" : ""}${percent.format(change)}`;
}

/** `1 event`, `2 events`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${decimal.format(count)} ${count === 1 ? noun : plural}`;
}
