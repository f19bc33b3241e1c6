import { lazy, Suspense } from "react";

import type { DayCount } from "./day-chart-view.tsx";

const View = lazy(async () => ({
  default: (await import("./day-chart-view.tsx")).DayChartView,
}));

/** A bar for each day. The library of charts is loaded once the first one is shown. */
export function DayChart(props: { label: string; days: DayCount[] }) {
  return (
    <Suspense fallback={<div className="h-50" />}>
      <View {...props} />
    </Suspense>
  );
}
