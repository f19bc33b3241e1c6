import { Select } from "@cloudflare/kumo";
import { BroadcastIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

import { type EventSummary, sourceQuery } from "../../api/sources.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import type { Column } from "../../components/virtual-table.tsx";
import { CHANNEL_COLUMN, EventLink, TIME_COLUMN } from "./event-cells.tsx";
import { EventDetail } from "./event-detail.tsx";
import { FeedView } from "./feed-view.tsx";
import { type Feed, useFeed } from "./live.ts";
import { endpointsOf } from "./triggers.ts";

/** Not the name of a channel: the events of all. */
const ALL = "*";

const MAX_PREVIEW_LENGTH = 200;

const COLUMNS: Column<EventSummary>[] = [
  TIME_COLUMN,
  {
    id: "summary",
    header: "Event",
    cell: (event) => <EventLink event={event}>{previewOf(event)}</EventLink>,
  },
  CHANNEL_COLUMN,
];

/** The events of a source, live. */
export function EventsTab() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const { channel } = useSearch({ from: "/shell/sources/$sourceId/" });
  const feed = useFeed(sourceId, channel);
  return (
    <FeedView
      label="Events"
      sourceId={sourceId}
      feed={feed}
      rows={feed.events}
      columns={COLUMNS}
      filters={<ChannelChoice feed={feed} />}
      empty={<NoEvents sourceId={sourceId} channel={channel} />}
      Detail={EventDetail}
    />
  );
}

function ChannelChoice({ feed }: { feed: Feed }) {
  const [channel, setChannel] = useSearchParam("channel");
  const items = useMemo(() => {
    const names = new Set(feed.events.map(({ metadata }) => metadata.name).filter(Boolean));
    if (channel !== "") names.add(channel);
    return { [ALL]: "All channels", ...Object.fromEntries([...names].map((name) => [name, name])) };
  }, [feed.events, channel]);
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

function NoEvents({ sourceId, channel }: { sourceId: string; channel: string | undefined }) {
  const { data: source } = useQuery(sourceQuery(sourceId));
  const [endpoint] = endpointsOf(source?.configured_props ?? {});
  return (
    <EmptyState
      icon={<BroadcastIcon size={40} className="text-kumo-subtle" />}
      title={channel === undefined ? "Waiting for the first event" : `No event in ${channel} yet`}
      sentence={
        endpoint === undefined
          ? "It is shown here at once. To try the source, send a test event, or run it from a terminal."
          : "It is shown here at once. Send a request to the endpoint:"
      }
      command={
        endpoint === undefined
          ? `npx wellspring run ${sourceId}`
          : `curl -d '{"id": 1}' -H 'content-type: application/json' ${endpoint}`
      }
    />
  );
}

/** The component's summary, else the beginning of the event. */
function previewOf({ metadata, event, id }: EventSummary): string {
  if (metadata.summary !== undefined && metadata.summary !== "") return metadata.summary;
  return event === undefined ? id : JSON.stringify(event).slice(0, MAX_PREVIEW_LENGTH);
}
