import { Select } from "@cloudflare/kumo";
import { useMemo } from "react";

import type { EventSummary } from "../../api/sources.ts";
import { useSearchParam } from "../../components/search-param.ts";
import type { Column } from "../../components/virtual-table.tsx";
import { CHANNEL_COLUMN, EventLink, TIME_COLUMN } from "./event-cells.tsx";
import type { Feed } from "./live.ts";

/** Not the name of a channel: the events of all. */
const ALL = "*";

const NONE: readonly string[] = [];

const MAX_PREVIEW_LENGTH = 200;

/** The columns of a list of events. */
export const EVENT_COLUMNS: Column<EventSummary>[] = [
  TIME_COLUMN,
  {
    id: "summary",
    header: "Event",
    cell: (event) => <EventLink event={event}>{previewOf(event)}</EventLink>,
  },
  CHANNEL_COLUMN,
];

/** The choice of a channel: those of the shown events, and further ones. */
export function ChannelChoice({ feed, more = NONE }: { feed: Feed; more?: readonly string[] }) {
  const [channel, setChannel] = useSearchParam("channel");
  const items = useMemo(() => {
    const names = new Set(feed.events.map(({ metadata }) => metadata.name).filter(Boolean));
    for (const name of more) names.add(name);
    if (channel !== "") names.add(channel);
    return { [ALL]: "All channels", ...Object.fromEntries([...names].map((name) => [name, name])) };
  }, [feed.events, more, channel]);
  return (
    <Select
      aria-label="Channel"
      size="sm"
      className="w-44"
      items={items}
      value={channel === "" ? ALL : channel}
      onValueChange={(value) => setChannel(value === null || value === ALL ? "" : value)}
    />
  );
}

/** The component's summary, else the beginning of the event. */
function previewOf({ metadata, event, id }: EventSummary): string {
  if (metadata.summary !== undefined && metadata.summary !== "") return metadata.summary;
  return event === undefined ? id : JSON.stringify(event).slice(0, MAX_PREVIEW_LENGTH);
}
