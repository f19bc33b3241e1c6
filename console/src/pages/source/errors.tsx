import { CheckCircleIcon } from "@phosphor-icons/react";
import { useParams } from "@tanstack/react-router";

import type { EventSummary } from "../../api/sources.ts";
import { apiCommand } from "../../components/commands.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { ErrorDetail } from "./error-detail.tsx";
import { EventLink, TIME_COLUMN } from "./event-cells.tsx";
import { FeedView } from "./feed-view.tsx";
import { useFeed } from "./live.ts";
import { errorRecordOf } from "./records.ts";

const COLUMNS: Column<EventSummary>[] = [
  TIME_COLUMN,
  {
    id: "code",
    header: "Kind",
    width: "10rem",
    cell: (event) => (
      <span className="font-mono text-sm text-kumo-danger">{errorRecordOf(event).code}</span>
    ),
  },
  {
    id: "message",
    header: "Message",
    cell: (event) => (
      <EventLink event={event}>{errorRecordOf(event).message || "No message"}</EventLink>
    ),
  },
];

/** The errors of a source's runs, live. */
export function ErrorsTab() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const feed = useFeed(sourceId, "$errors");
  return (
    <FeedView
      label="Errors"
      emitterId={sourceId}
      feed={feed}
      rows={feed.events}
      columns={COLUMNS}
      empty={
        <EmptyState
          icon={<CheckCircleIcon size={40} className="text-kumo-success" />}
          title="No errors"
          sentence="Errors of runs are shown here at once, with the stack and the event being processed. To be notified elsewhere, subscribe a webhook to the channel $errors:"
          command={apiCommand("POST", "/subscriptions", {
            emitter_id: sourceId,
            event_name: "$errors",
            listener_id: "wh_…",
          })}
        />
      }
      Detail={ErrorDetail}
    />
  );
}
