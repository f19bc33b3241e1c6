import { Button, Select } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";

import { apiCommand } from "../../components/commands.ts";
import { LoadingRows, type Page } from "../../components/data-table.tsx";
import { useIsDeleted } from "../../components/deletion.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatCount, formatDuration } from "../../components/format.ts";
import { LinkButton } from "../../components/link-button.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { type Column, VirtualTable } from "../../components/virtual-table.tsx";
import { runsQuery, type WorkflowRun } from "./queries.ts";
import { RunsTimeline } from "./runs-timeline.tsx";

const STATES = {
  all: "All states",
  queued: "Queued",
  running: "Running",
  waiting: "Waiting",
  succeeded: "Succeeded",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** The runs of a workflow, as bars over time and as a list. */
export function WorkflowRunsPage() {
  const { id } = useParams({ from: "/shell/workflows/$id" });
  const { after } = useSearch({ from: "/shell/workflows/$id/" });
  const isDeleted = useIsDeleted(id);
  const { data, error, refetch } = useQuery({ ...runsQuery(id, after), enabled: !isDeleted });
  if (!data)
    return error ? (
      <FailureNotice error={error} onRetry={() => void refetch()} />
    ) : (
      <LoadingRows label="Runs" />
    );
  return (
    <div className="flex flex-col gap-4">
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data.page_info.total_count === 0 ? <NoRuns /> : <Runs page={data} />}
      <Cursors isFirst={after === undefined} next={nextOf(data)} />
    </div>
  );
}

/** The next page of runs; undefined after the last one. */
function nextOf({
  data,
  page_info: { total_count: total, end_cursor: cursor },
}: Page<WorkflowRun>) {
  return data.length < total ? cursor : null;
}

function Runs({ page: { data: runs, page_info: info } }: { page: Page<WorkflowRun> }) {
  const { id } = useParams({ from: "/shell/workflows/$id" });
  const { state } = useSearch({ from: "/shell/workflows/$id/" });
  const [, choose] = useSearchParam("state");
  const matching = runs.filter((run) => state === undefined || run.state === state);
  return (
    <>
      <RunsTimeline runs={runs} />
      <div className="flex flex-wrap items-center gap-3">
        <Select<string>
          aria-label="State"
          value={state ?? "all"}
          onValueChange={(next) => choose(next === "all" || next === null ? "" : next)}
          items={STATES}
        />
        <p className="text-sm text-kumo-subtle">
          {formatCount(matching.length, "run")} of {info.total_count}
        </p>
      </div>
      {matching.length === 0 ? (
        <EmptyState
          title="No run matches"
          sentence="Choose another state."
          action={<Button onClick={() => choose("")}>Show all states</Button>}
        />
      ) : (
        <VirtualTable
          label="Runs"
          columns={columnsOf(id)}
          rows={matching}
          rowKey={(run) => run.id}
        />
      )}
    </>
  );
}

function Cursors({ isFirst, next }: { isFirst: boolean; next: string | null }) {
  const { id } = useParams({ from: "/shell/workflows/$id" });
  const { state } = useSearch({ from: "/shell/workflows/$id/" });
  const to = `/workflows/${id}`;
  const kept = state === undefined ? {} : { state };
  if (isFirst && next === null) return null;
  return (
    <nav aria-label="Pages of runs" className="flex gap-2">
      {!isFirst && (
        <LinkButton to={to} search={kept}>
          Newest runs
        </LinkButton>
      )}
      {next !== null && (
        <LinkButton to={to} search={{ ...kept, after: next }}>
          Older runs
        </LinkButton>
      )}
    </nav>
  );
}

function NoRuns() {
  const { id } = useParams({ from: "/shell/workflows/$id" });
  return (
    <EmptyState
      title="No runs yet"
      sentence="It runs once its trigger fires, an event of its subscriptions arrives, or you press Run now."
      command={apiCommand("POST", `/workflows/${id}/runs`, { event: { id: 1 } })}
    />
  );
}

function columnsOf(id: string): Column<WorkflowRun>[] {
  return [
    {
      id: "state",
      header: "State",
      width: "8.5rem",
      cell: ({ state }) => <Status state={state} />,
    },
    {
      id: "run",
      header: "Run",
      cell: ({ id: run, error, rerun_of: first }) => (
        <span className="flex min-w-0 items-baseline gap-3">
          <Link
            to="/workflows/$id/runs/$run"
            params={{ id, run }}
            title={run}
            aria-label={run}
            className="shrink-0 font-mono text-sm text-kumo-link hover:underline"
          >
            {shortId(run)}
          </Link>
          {error ? (
            <span
              className="truncate text-sm text-kumo-danger"
              title={`${error.code}: ${error.message}`}
            >
              {error.code}: {error.message}
            </span>
          ) : (
            first !== null && <span className="text-sm text-kumo-subtle">rerun</span>
          )}
        </span>
      ),
    },
    { id: "trigger", header: "Begun by", width: "7rem", cell: (run) => run.source_type },
    {
      id: "queued",
      header: "Queued",
      width: "8rem",
      cell: (run) => <Time at={run.queued_at_ms} />,
    },
    {
      id: "duration",
      header: "Duration",
      width: "8rem",
      align: "right",
      cell: (run) => durationOf(run),
    },
  ];
}

/** The duration of a run, including its waits. */
export function durationOf({ started_at_ms: from, ended_at_ms: to }: WorkflowRun): string {
  return from === null || to === null ? "—" : formatDuration(to - from);
}

/** The beginning of a random id, which distinguishes it in a list. The due time of a tick is whole. */
function shortId(run: string): string {
  return run.startsWith("tick-") ? run : run.slice(0, 8);
}
