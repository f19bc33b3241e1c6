import { formatCount, formatDuration } from "../../components/format.ts";
import { Time } from "../../components/time.tsx";
import type { WorkflowRun } from "./queries.ts";

const MAX_BARS = 60;

/** The shortest bar, in percent of the box. */
const MIN_HEIGHT = 8;

const COLOURS: Record<WorkflowRun["state"], string> = {
  queued: "bg-kumo-fill",
  running: "bg-kumo-info animate-pulse",
  waiting: "bg-kumo-warning",
  succeeded: "bg-kumo-success",
  failed: "bg-kumo-danger",
  cancelled: "bg-kumo-fill",
};

/**
 * The newest runs as bars, oldest first: the longer a run, the higher its bar. The table below has the same data as
 * text.
 */
export function RunsTimeline({ runs }: { runs: WorkflowRun[] }) {
  const bars = runs.slice(0, MAX_BARS).toReversed();
  const first = bars[0];
  if (!first) return null;
  const longest = Math.max(...bars.map(lengthOf), 1);
  return (
    <figure className="rounded-lg bg-kumo-base p-4 ring ring-kumo-line">
      <figcaption className="mb-3 flex flex-wrap justify-between gap-x-4 text-sm text-kumo-subtle">
        <span>{summaryOf(bars)}</span>
        <span>
          Since <Time at={first.queued_at_ms} />, the longest took {formatDuration(longest)}
        </span>
      </figcaption>
      <div aria-hidden className="flex h-16 items-end gap-px border-b border-kumo-line">
        {bars.map((run) => (
          <div
            key={run.id}
            title={`${run.state}, ${formatDuration(lengthOf(run))}`}
            className={`max-w-4 min-w-px flex-1 rounded-t-xs ${COLOURS[run.state]}`}
            style={{ height: `${heightOf(lengthOf(run), longest)}%` }}
          />
        ))}
      </div>
    </figure>
  );
}

function lengthOf({ queued_at_ms: queued, started_at_ms: from, ended_at_ms: to }: WorkflowRun) {
  return Math.max(0, (to ?? Date.now()) - (from ?? queued));
}

/** On a power scale, so that short runs are visible beside one that waited for days. */
function heightOf(length: number, longest: number): number {
  const share = Math.log1p(length) / Math.log1p(longest);
  return Math.max(MIN_HEIGHT, Math.round(share * 100));
}

function summaryOf(runs: WorkflowRun[]): string {
  const counts = Object.entries(Object.groupBy(runs, ({ state }) => state));
  const parts = counts.map(([state, some]) => `${some.length} ${state}`);
  return `Last ${formatCount(runs.length, "run")}: ${parts.join(", ")}`;
}
