import { BroadcastIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";

import { sourceQuery } from "../../api/sources.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { EventDetail } from "./event-detail.tsx";
import { ChannelChoice, EVENT_COLUMNS } from "./event-list.tsx";
import { FeedView } from "./feed-view.tsx";
import { useFeed } from "./live.ts";
import { endpointsOf } from "./triggers.ts";

/** The events of a source, live. */
export function EventsTab() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const { channel } = useSearch({ from: "/shell/sources/$sourceId/" });
  const feed = useFeed(sourceId, channel);
  return (
    <FeedView
      label="Events"
      emitterId={sourceId}
      feed={feed}
      rows={feed.events}
      columns={EVENT_COLUMNS}
      filters={<ChannelChoice feed={feed} />}
      empty={<NoEvents sourceId={sourceId} channel={channel} />}
      Detail={EventDetail}
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
