import { Loader } from "@cloudflare/kumo";

import { CopyButton, CopyText } from "../../components/copy.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { Clock } from "./event-cells.tsx";
import { useWholeEvent } from "./event-detail.tsx";
import type { DetailProps } from "./feed-view.tsx";
import { logOf } from "./records.ts";
import { Stack } from "./stack.tsx";

/** One log line, whole, with links from positions to the code. */
export function LogDetail({ emitterId: sourceId, eventId, known }: DetailProps) {
  const { event, error, refetch } = useWholeEvent(sourceId, eventId, known);
  if (!event) return error ? <FailureNotice error={error} onRetry={refetch} /> : <Loader />;
  const { level, message, runId } = logOf(event);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SectionTitle>Log line</SectionTitle>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-sm [&_dt]:text-kumo-subtle">
        <dt>Written</dt>
        <dd>
          <Clock at={event.indexed_at_ms} />
        </dd>
        <dt>Level</dt>
        <dd>{level}</dd>
        <dt>Run</dt>
        <dd>
          <CopyText value={runId} what="run id" />
        </dd>
      </dl>
      <div>
        <CopyButton label="Copy the line" text={() => message} />
      </div>
      <Stack text={message} sourceId={sourceId} />
    </div>
  );
}
