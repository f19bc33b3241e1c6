import { ChartLegend, ChartPalette, TimeseriesChart } from "@cloudflare/kumo/components/chart";
import { useMemo } from "react";

import type { Counts, Overview } from "../../api/overview.ts";
import { echarts } from "../../components/echarts.ts";
import { formatCompact, formatNumber } from "../../components/format.ts";
import { useDark } from "../../layout/use-dark.ts";

/** One series, with a colour of the palette or a semantic one. */
export type Line = {
  key: keyof Counts;
  label: string;
  color: number | "Attention" | "Warning";
};

const HEIGHT_PX = 220;

const hours = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

const days = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric" });

/** Series of an overview over time. */
export function Chart({
  series,
  lines,
  summary,
  range,
  isBars = false,
}: {
  series: Overview["series"];
  lines: Line[];
  summary: string;
  range: "24h" | "7d";
  isBars?: boolean;
}) {
  const isDark = useDark();
  const data = useMemo(
    () =>
      lines.map(({ key, label, color }) => ({
        name: label,
        color: colorOf(color, isDark),
        data: series.map((point): [number, number] => [point.at * 1000, point[key]]),
      })),
    [lines, series, isDark],
  );
  const format = range === "7d" ? days : hours;
  const lastAt = series.at(-1)?.at;
  return (
    <>
      <div className="my-2 flex flex-wrap gap-4">
        {data.map(({ name, color }, index) => (
          <ChartLegend.SmallItem
            key={name}
            name={name}
            color={color}
            value={formatCompact(sumOf(series, lines[index]?.key))}
          />
        ))}
      </div>
      <TimeseriesChart
        echarts={echarts}
        type={isBars ? "bar" : "line"}
        data={data}
        height={HEIGHT_PX}
        isDarkMode={isDark}
        gradient
        yAxisMinInterval={1}
        xAxisTickFormat={(at) => format.format(at)}
        yAxisTickFormat={formatCompact}
        tooltipValueFormat={formatNumber}
        ariaDescription={summary}
        {...(lastAt === undefined || isBars ? {} : { incomplete: { after: lastAt * 1000 } })}
      />
    </>
  );
}

function colorOf(color: Line["color"], isDark: boolean): string {
  return typeof color === "number"
    ? ChartPalette.categorical(color, isDark)
    : ChartPalette.semantic(color, isDark);
}

function sumOf(series: Overview["series"], key: keyof Counts | undefined): number {
  return key === undefined ? 0 : series.reduce((sum, point) => sum + point[key], 0);
}
