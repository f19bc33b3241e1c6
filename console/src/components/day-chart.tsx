import { lazy, Suspense } from "react";

import type { DayCount } from "./day-chart-view.tsx";

const View = lazy(async () => ({
  default: (await import("./day-chart-view.tsx")).DayChartView,
}));

/** A bar for each day. The library of charts is loaded once the first one is shown. */
export function DayChart(props: { label: string; days: DayCount[] }) {
  if (props.days.every(({ count }) => count === 0))
    return <p className="py-8 text-center text-kumo-subtle">Nothing in these days</p>;
  return (
    // A canvas keeps its painted width, and must not widen a page that becomes narrower.
    <div className="min-w-0 overflow-hidden">
      <Suspense fallback={<output aria-label={`${props.label}: loading`} className="block h-50" />}>
        <View {...props} />
      </Suspense>
    </div>
  );
}
