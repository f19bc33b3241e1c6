import { BroadcastIcon } from "@phosphor-icons/react";
import { useParams, useSearch } from "@tanstack/react-router";

import { apiCommand } from "../../components/commands.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ChannelChoice, EVENT_COLUMNS } from "../source/event-list.tsx";
import { FeedView } from "../source/feed-view.tsx";
import { useFeed } from "../source/live.ts";
import { WorkflowEventDetail } from "./event-detail.tsx";

/** Channels of the platform: a list of all channels does not have their events. */
const SYSTEM_CHANNELS = ["$errors", "$alerts"];

/** The events that a workflow emits, live, and its errors. */
export function WorkflowEventsPage() {
  const { id } = useParams({ from: "/shell/workflows/$id" });
  const { channel } = useSearch({ from: "/shell/workflows/$id/events" });
  const feed = useFeed(id, channel);
  return (
    <FeedView
      label="Events"
      emitterId={id}
      feed={feed}
      rows={feed.events}
      columns={EVENT_COLUMNS}
      filters={<ChannelChoice feed={feed} more={SYSTEM_CHANNELS} />}
      empty={<NoEvents id={id} channel={channel} />}
      Detail={WorkflowEventDetail}
    />
  );
}

function NoEvents({ id, channel }: { id: string; channel: string | undefined }) {
  const icon = <BroadcastIcon size={40} className="text-kumo-subtle" />;
  if (channel !== undefined)
    return (
      <EmptyState
        icon={icon}
        title={`No event in ${channel} yet`}
        sentence="It is shown here at once. To be notified elsewhere, subscribe a webhook to the channel:"
        command={apiCommand("POST", "/subscriptions", {
          emitter_id: id,
          event_name: channel,
          listener_id: "wh_…",
        })}
      />
    );
  return (
    <EmptyState
      icon={icon}
      title="This workflow has emitted no event"
      sentence="A step emits one to the workflow's listeners, and it is shown here at once:"
      command="await $.send.emit({ id: 1 });"
    />
  );
}
