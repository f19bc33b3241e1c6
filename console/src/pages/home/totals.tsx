import { LayerCard } from "@cloudflare/kumo";
import { ArrowDownRightIcon, ArrowUpRightIcon } from "@phosphor-icons/react";

import type { Counts, Overview } from "../../api/overview.ts";
import {
  formatChange,
  formatCompact,
  formatNumber,
  formatPercent,
} from "../../components/format.ts";

type Figure = {
  key: keyof Counts;
  label: string;
  /** Whether an increase is bad. */
  isBad?: true;
  /** The total of the share. */
  of?: keyof Counts;
};

const FIGURES: Figure[] = [
  { key: "events", label: "Events" },
  { key: "runs", label: "Runs" },
  { key: "failures", label: "Failed runs", isBad: true, of: "runs" },
  { key: "deliveries", label: "Deliveries" },
  { key: "failed_deliveries", label: "Failed deliveries", isBad: true, of: "deliveries" },
];

const SPANS = { "24h": "24 hours", "7d": "7 days" };

/** The sums of the span, each compared with the span before. */
export function Totals({
  totals,
  range,
}: {
  totals: Overview["totals"];
  range: keyof typeof SPANS;
}) {
  return (
    <section aria-label={`Sums of the last ${SPANS[range]}`}>
      <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-5">
        {FIGURES.map((figure) => (
          <Total key={figure.key} figure={figure} totals={totals} span={SPANS[range]} />
        ))}
      </dl>
    </section>
  );
}

function Total({
  figure: { key, label, isBad, of },
  totals,
  span,
}: {
  figure: Figure;
  totals: Overview["totals"];
  span: string;
}) {
  const value = totals[key];
  const whole = of === undefined ? 0 : totals[of];
  const isAlarming = isBad === true && value > 0;
  return (
    <LayerCard className="flex flex-col gap-1 p-4">
      <dt className="text-sm text-kumo-subtle">{label}</dt>
      <dd
        title={formatNumber(value)}
        className={`text-2xl font-semibold tabular-nums ${isAlarming ? "text-kumo-danger" : ""}`}
      >
        {formatCompact(value)}
        {whole > 0 && (
          <span className="ml-2 text-sm font-normal text-kumo-subtle">
            {formatPercent(value / whole)}
          </span>
        )}
      </dd>
      <dd className="text-xs text-kumo-subtle">
        <Change value={value} before={totals.before[key]} span={span} />
      </dd>
    </LayerCard>
  );
}

function Change({ value, before, span }: { value: number; before: number; span: string }) {
  const change = formatChange(value, before);
  if (change === undefined)
    return <span title={`In the ${span} before`}>{value === 0 ? "as before" : "none before"}</span>;
  const ChangeIcon = value < before ? ArrowDownRightIcon : ArrowUpRightIcon;
  return (
    <span className="inline-flex items-center gap-1" title={`${formatNumber(before)} before`}>
      {value !== before && <ChangeIcon aria-hidden />}
      {value === before ? "as before" : `${change} against the ${span} before`}
    </span>
  );
}
