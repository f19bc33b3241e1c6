import { Meter } from "@cloudflare/kumo";

import { formatCompact } from "./format.ts";

/** The quota that the API reports where none is set. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Whether a quota limits anything. */
export function isLimit(quota: number): boolean {
  return quota > 0 && quota < UNLIMITED;
}

/** The used part of a quota, and the rest. */
export function Quota({
  label,
  used,
  quota,
  format = formatCompact,
}: {
  label: string;
  used: number;
  quota: number;
  format?: (amount: number) => string;
}) {
  if (!isLimit(quota))
    return (
      <p>
        {label}: {format(used)} <span className="text-kumo-subtle">(no limit)</span>
      </p>
    );
  const left = format(Math.max(quota - used, 0));
  return (
    <Meter
      label={label}
      value={Math.min(used, quota)}
      max={quota}
      customValue={`${format(used)} of ${format(quota)}, ${left} left`}
    />
  );
}
