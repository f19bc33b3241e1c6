import { CheckCircleIcon } from "@phosphor-icons/react";

import type { List } from "../api/pages.ts";
import type { ParkedEvent } from "../api/parked-events.ts";
import { AppLink } from "./app-link.tsx";
import { adminCommand, apiCommand } from "./commands.ts";
import { EmptyState } from "./empty-state.tsx";
import { LINK } from "./links.tsx";
import { ListTable } from "./list-table.tsx";
import { OwnerLink } from "./owner-link.tsx";
import { Time } from "./time.tsx";
import type { Column } from "./virtual-table.tsx";

const WHEN: Column<ParkedEvent> = {
  id: "at",
  header: "Parked",
  width: "9rem",
  cell: ({ at_ms }) => <Time at={at_ms} />,
};

const WHY: Column<ParkedEvent>[] = [
  {
    id: "code",
    header: "Kind",
    width: "10rem",
    cell: ({ code }) => <span className="font-mono text-sm text-kumo-danger">{code}</span>,
  },
  {
    id: "message",
    header: "Message",
    cell: ({ message }) => <span title={message}>{message}</span>,
  },
];

const OWN: Column<ParkedEvent>[] = [
  WHEN,
  {
    id: "source",
    header: "Source",
    width: "14rem",
    cell: ({ source_id, source_name, id }) => (
      <AppLink
        to={`/sources/${encodeURIComponent(source_id)}/errors`}
        search={{ event: id }}
        className={LINK}
      >
        {source_name}
      </AppLink>
    ),
  },
  ...WHY,
];

/** The event and its record belong to its owner: operators get no link to it. */
const OF_ALL: Column<ParkedEvent>[] = [
  WHEN,
  { id: "source", header: "Source", width: "12rem", cell: ({ source_name }) => source_name },
  ...WHY,
  {
    id: "owner",
    header: "Owner",
    width: "11rem",
    cell: ({ owner_id }) => <OwnerLink id={owner_id} />,
  },
];

/** Parked events with their reasons. */
export function ParkedEvents({ list, isOwn }: { list: List<ParkedEvent>; isOwn: boolean }) {
  return (
    <ListTable
      label="Parked events"
      list={list}
      columns={isOwn ? OWN : OF_ALL}
      rowKey={({ source_id, id }) => `${source_id} ${id}`}
      minWidth="56rem"
      empty={
        <EmptyState
          icon={<CheckCircleIcon size={32} className="text-kumo-success" />}
          title="No event is parked"
          sentence="An event is parked when its runs end the isolate three times, or when it goes round in a loop. For a monitor:"
          command={
            isOwn ? apiCommand("GET", "/parked_events") : adminCommand("GET", "/parked_events")
          }
        />
      }
    />
  );
}
