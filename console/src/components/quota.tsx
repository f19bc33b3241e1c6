import { Meter } from "@cloudflare/kumo";

import { formatCompact } from "./format.ts";

/** The used part of a quota, and the rest. A quota of 0 is none. */
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
  if (quota === 0)
    return (
      <p>
        {label}: {format(used)} <span className="text-kumo-subtle">(no quota)</span>
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
