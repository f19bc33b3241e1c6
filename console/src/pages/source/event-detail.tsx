import { Button, Loader } from "@cloudflare/kumo";
import { ArrowsCounterClockwiseIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";

import {
  eventQuery,
  type EventSummary,
  listenersQuery,
  replayEvent,
  sourceKeys,
} from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyButton, CopyText } from "../../components/copy.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatCount } from "../../components/format.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { Channel, Clock } from "./event-cells.tsx";
import type { DetailProps } from "./feed-view.tsx";

/** An event, whole: its metadata, its JSON as a tree, copy and replay. */
export function EventDetail({ emitterId: sourceId, eventId, known }: DetailProps) {
  const { event, error, refetch } = useWholeEvent(sourceId, eventId, known);
  if (!event)
    return error ? (
      <FailureNotice
        error={error}
        title="This event cannot be shown: it is kept only while it is among the last 100."
        onRetry={refetch}
      />
    ) : (
      <Loader />
    );
  const { metadata } = event;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SectionTitle>{metadata.summary || "Event"}</SectionTitle>
      <EventFacts event={event} />
      <div className="flex flex-wrap gap-2">
        <CopyButton label="Copy as JSON" text={() => JSON.stringify(event.event, null, 2)} />
        <ReplayButton sourceId={sourceId} event={event} />
      </div>
      <JsonTree value={event.event} />
    </div>
  );
}

/** The event with all of its values: from the list if it is whole there, else from the API. */
export function useWholeEvent(
  sourceId: string,
  eventId: string,
  known: EventSummary | undefined,
): { event: EventSummary | undefined; error: Error | null; refetch: () => void } {
  const isWhole = known !== undefined && known.truncated !== true;
  const { data, error, refetch } = useQuery({
    ...eventQuery(sourceId, eventId),
    enabled: !isWhole,
  });
  const event = isWhole ? known : data;
  return { event, error, refetch: () => void refetch() };
}

/** The ids, the channel and the times of an event. */
export function EventFacts({
  event: { id, indexed_at_ms: at, metadata },
}: {
  event: EventSummary;
}) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-sm [&_dt]:text-kumo-subtle">
      <dt>Stored</dt>
      <dd>
        <Clock at={at} />
      </dd>
      <dt>Channel</dt>
      <dd>
        <Channel name={metadata.name} />
      </dd>
      <dt>Event id</dt>
      <dd>
        <CopyText value={id} />
      </dd>
      <dt>Emit id</dt>
      <dd>
        <CopyText value={metadata.emit_id} what="emit id" />
      </dd>
      {metadata.id !== undefined && (
        <>
          <dt>Id for dedupe</dt>
          <dd>
            <CopyText value={metadata.id} what="dedupe id" />
          </dd>
        </>
      )}
      {metadata.ts !== undefined && (
        <>
          <dt>Its own time</dt>
          <dd>
            <Clock at={metadata.ts} />
          </dd>
        </>
      )}
      {metadata.replay_of !== undefined && (
        <>
          <dt>Replay of</dt>
          <dd>
            <CopyText value={metadata.replay_of} what="emit id" />
          </dd>
        </>
      )}
    </dl>
  );
}

/** Sends an event again, after a confirmation that names the number of listeners. */
export function ReplayButton({ sourceId, event }: { sourceId: string; event: EventSummary }) {
  const { data: listeners = [] } = useQuery(listenersQuery(sourceId));
  const replay = useAction({
    run: () => replayEvent(sourceId, event.id),
    done: "The event was sent again",
    changes: [sourceKeys.part(sourceId, "activity")],
    isFailureShown: true,
  });
  const receivers = listeners.filter(({ event_name: name }) => name === event.metadata.name);
  return (
    <ConfirmDialog
      name="replay"
      trigger={
        <Button size="sm" icon={<ArrowsCounterClockwiseIcon />}>
          Replay
        </Button>
      }
      title="Send this event again?"
      description={`It is sent to ${formatCount(receivers.length, "current listener")} of its channel, with a new emit id.`}
      confirmLabel="Replay"
      isDestructive={false}
      onConfirm={() => replay.mutateAsync()}
    >
      {receivers.length > 0 && (
        <ul className="list-disc pl-5 text-kumo-subtle">
          {receivers.map(({ subscription_id: id, name, id: listenerId, type }) => (
            <li key={id} className="break-all">
              {name ?? listenerId} ({type})
            </li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}
