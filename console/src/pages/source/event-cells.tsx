import { Badge } from "@cloudflare/kumo";
import { type ReactNode, useState } from "react";

import type { EventSummary } from "../../api/sources.ts";
import { AppLink } from "../../components/app-link.tsx";
import { exactTime, Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const clock = new Intl.DateTimeFormat(undefined, {
  hourCycle: "h23",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/** The time of an event, to the millisecond; relative to now if it was not today when it was first shown. */
export function Clock({ at }: { at: number }) {
  const date = new Date(at);
  const [today] = useState(() => new Date().toDateString());
  if (date.toDateString() !== today) return <Time at={at} />;
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)} className="tabular-nums">
      {clock.format(date)}
    </time>
  );
}

export const TIME_COLUMN: Column<EventSummary> = {
  id: "time",
  header: "Time",
  width: "8.5rem",
  cell: ({ indexed_at_ms: at }) => <Clock at={at} />,
};

export const CHANNEL_COLUMN: Column<EventSummary> = {
  id: "channel",
  header: "Channel",
  width: "8rem",
  cell: ({ metadata }) => <Channel name={metadata.name} />,
};

/** The name of a channel; the default one has none. */
export function Channel({ name }: { name: string }) {
  return <Badge variant="outline">{name === "" ? "default" : name}</Badge>;
}

/** A link that opens an event beside the table, and keeps the filters. */
export function EventLink({ event, children }: { event: EventSummary; children: ReactNode }) {
  return (
    <AppLink
      to="."
      search={(previous) => ({ ...previous, event: event.id })}
      resetScroll={false}
      data-event={event.id}
      className="text-kumo-link hover:underline"
    >
      {children}
    </AppLink>
  );
}
