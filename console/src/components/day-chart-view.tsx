import { ChartPalette, TimeseriesChart } from "@cloudflare/kumo/components/chart";
import { useMemo } from "react";

import { useDark } from "../layout/use-dark.ts";
import { dayTick } from "./day-ticks.ts";
import { echarts } from "./echarts.ts";
import { formatCompact, formatNumber } from "./format.ts";

/** The counters of one day (UTC), `YYYY-MM-DD`. */
export type DayCount = { day: string; count: number };

const HEIGHT_PX = 200;

/** A bar for each day. */
export function DayChartView({ label, days }: { label: string; days: DayCount[] }) {
  const isDark = useDark();
  const data = useMemo(
    () => [
      {
        name: label,
        color: ChartPalette.categorical(0, isDark),
        data: days.map(({ day, count }): [number, number] => [Date.parse(day), count]),
      },
    ],
    [label, days, isDark],
  );
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <TimeseriesChart
      echarts={echarts}
      type="bar"
      data={data}
      height={HEIGHT_PX}
      isDarkMode={isDark}
      yAxisMinInterval={1}
      xAxisTickFormat={(at) => dayTick(at, days.length)}
      yAxisTickFormat={formatCompact}
      tooltipValueFormat={formatNumber}
      ariaDescription={`${label}: ${formatNumber(total)} in ${days.length} days.`}
    />
  );
}
