import { Loader } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";

import { type EventSummary, readEvents } from "../../api/sources.ts";
import { CopyButton } from "../../components/copy.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { JsonTree } from "../../components/json-tree.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { EventFacts } from "../source/event-detail.tsx";
import type { DetailProps } from "../source/feed-view.tsx";
import { errorRecordOf } from "../source/records.ts";

/** An event of a workflow, whole: its metadata, its JSON as a tree, and of an error the run. */
export function WorkflowEventDetail({ emitterId: id, eventId, known }: DetailProps) {
  const { channel } = useSearch({ from: "/shell/workflows/$id/events" });
  const isWhole = known !== undefined && known.truncated !== true;
  const whole = useQuery({
    queryKey: ["workflows", id, "event", eventId],
    queryFn: async ({ signal }) => {
      const events = await readEvents(id, { channel, signal, isWhole: true });
      return events.find((event) => event.id === eventId) ?? null;
    },
    enabled: !isWhole,
    // Events never change.
    staleTime: Infinity,
  });
  const event = isWhole ? known : whole.data;
  if (event) return <Detail id={id} event={event} />;
  if (event === null)
    return <p>This event cannot be shown: it is kept only while it is among the last 100.</p>;
  return whole.error ? (
    <FailureNotice error={whole.error} onRetry={() => void whole.refetch()} />
  ) : (
    <Loader />
  );
}

function Detail({ id, event }: { id: string; event: EventSummary }) {
  const { title, run } = subjectOf(event);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SectionTitle>{title}</SectionTitle>
      <EventFacts event={event} />
      <div className="flex flex-wrap items-center gap-3">
        <CopyButton label="Copy as JSON" text={() => JSON.stringify(event.event, null, 2)} />
        {run !== "" && (
          <Link
            to="/workflows/$id/runs/$run"
            params={{ id, run }}
            className="text-kumo-link hover:underline"
          >
            Open the run
          </Link>
        )}
      </div>
      <JsonTree value={event.event} />
    </div>
  );
}

/** The title of an event; of an error, also the id of its run. */
function subjectOf(event: EventSummary): { title: string; run: string } {
  if (event.metadata.name !== "$errors") return { title: "Event", run: "" };
  const { code, runId } = errorRecordOf(event);
  return { title: code, run: runId };
}
