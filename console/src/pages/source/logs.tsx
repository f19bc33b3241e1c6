import { ListMagnifyingGlassIcon } from "@phosphor-icons/react";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";

import type { EventSummary } from "../../api/sources.ts";
import { Choice } from "../../components/choice.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { EventLink, TIME_COLUMN } from "./event-cells.tsx";
import { FeedView } from "./feed-view.tsx";
import { useFeed } from "./live.ts";
import { LogDetail } from "./log-detail.tsx";
import { logOf } from "./records.ts";

const LEVELS: { value: "" | "warn" | "error"; label: string }[] = [
  { value: "", label: "All" },
  { value: "warn", label: "Warnings" },
  { value: "error", label: "Errors" },
];

const STATES: Record<string, string> = { error: "error", warn: "warning" };

const COLUMNS: Column<EventSummary>[] = [
  TIME_COLUMN,
  {
    id: "level",
    header: "Level",
    width: "7rem",
    cell: (event) => {
      const { level } = logOf(event);
      return <Status state={STATES[level] ?? level} label={level} />;
    },
  },
  {
    id: "message",
    header: "Message",
    cell: (event) => (
      <EventLink event={event}>
        <span className="font-mono text-sm text-kumo-default">{logOf(event).message}</span>
      </EventLink>
    ),
  },
];

/** The log lines of a source's runs, live. */
export function LogsTab() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const [q] = useSearchParam("q");
  const [level, setLevel] = useSearchParam("level");
  const feed = useFeed(sourceId, "$logs");
  const rows = useMemo(
    () => feed.events.filter((event) => matches(event, q, level)),
    [feed.events, q, level],
  );
  return (
    <FeedView
      label="Logs"
      emitterId={sourceId}
      feed={feed}
      rows={rows}
      columns={COLUMNS}
      filters={
        <>
          <FilterField label="Filter logs" placeholder="Filter by text or run id" />
          <Choice
            label="Level"
            options={LEVELS}
            value={level === "warn" || level === "error" ? level : ""}
            onChange={setLevel}
          />
        </>
      }
      empty={<NoLines sourceId={sourceId} isFiltered={q !== "" || level !== ""} />}
      Detail={LogDetail}
    />
  );
}

function NoLines({ sourceId, isFiltered }: { sourceId: string; isFiltered: boolean }) {
  const icon = <ListMagnifyingGlassIcon size={40} className="text-kumo-subtle" />;
  if (isFiltered)
    return (
      <EmptyState
        icon={icon}
        title="No line matches"
        sentence="The last 100 lines and those that arrive meanwhile are searched."
        action={<LinkButton to={`/sources/${sourceId}/logs`}>Show all lines</LinkButton>}
      />
    );
  return (
    <EmptyState
      icon={icon}
      title="No log lines yet"
      sentence="Lines written with console.log are shown here at once."
      command={`npx wellspring logs ${sourceId}`}
    />
  );
}

function matches(event: EventSummary, text: string, level: string): boolean {
  const log = logOf(event);
  if (level === "error" && log.level !== "error") return false;
  if (level === "warn" && log.level !== "error" && log.level !== "warn") return false;
  const wanted = text.toLowerCase();
  return log.message.toLowerCase().includes(wanted) || log.runId.includes(wanted);
}
