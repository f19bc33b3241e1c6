import { LayerCard } from "@cloudflare/kumo";
import { lazy, Suspense } from "react";

import type { Overview } from "../../api/overview.ts";
import { formatCount } from "../../components/format.ts";
import { SectionTitle } from "../../components/section-title.tsx";
import type { Line } from "./chart.tsx";

const Chart = lazy(async () => ({ default: (await import("./chart.tsx")).Chart }));

const WORK: Line[] = [
  { key: "events", label: "Events", color: 0 },
  { key: "runs", label: "Runs", color: 1 },
  { key: "deliveries", label: "Deliveries", color: 2 },
];

const FAILURES: Line[] = [
  { key: "failures", label: "Failed runs", color: "Attention" },
  { key: "failed_deliveries", label: "Failed deliveries", color: "Warning" },
];

/** The activity by the hour. Charts are loaded after the numbers. */
export function Charts({ overview, range }: { overview: Overview; range: "24h" | "7d" }) {
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      <Panel title="Activity an hour" overview={overview} lines={WORK} range={range} />
      <Panel title="Failures an hour" overview={overview} lines={FAILURES} range={range} isBars />
    </div>
  );
}

function Panel({
  title,
  overview,
  lines,
  ...look
}: {
  title: string;
  overview: Overview;
  lines: Line[];
  range: "24h" | "7d";
  isBars?: boolean;
}) {
  return (
    <LayerCard className="min-w-0 p-4">
      <SectionTitle>{title}</SectionTitle>
      <Suspense fallback={<output aria-label={`${title}: loading`} className="block h-60" />}>
        <Chart
          series={overview.series}
          lines={lines}
          summary={summaryOf(overview, lines)}
          {...look}
        />
      </Suspense>
    </LayerCard>
  );
}

/** The chart as text, for screen readers. */
function summaryOf({ totals, series }: Overview, lines: Line[]): string {
  const sums = lines.map(({ key, label }) => `${label}: ${totals[key]}`).join(", ");
  return `${sums}, in ${formatCount(series.length, "hour")}.`;
}
