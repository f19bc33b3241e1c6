import { Button, Loader } from "@cloudflare/kumo";
import { PlayIcon } from "@phosphor-icons/react";

import { runSource, sourceKeys } from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { CopyButton, CopyText } from "../../components/copy.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { JsonTree } from "../../components/json-tree.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { Clock } from "./event-cells.tsx";
import { ReplayButton, useWholeEvent } from "./event-detail.tsx";
import type { DetailProps } from "./feed-view.tsx";
import { errorRecordOf } from "./records.ts";
import { Stack } from "./stack.tsx";

/** One error: its stack, with links to the code, and the processed event. */
export function ErrorDetail({ emitterId: sourceId, eventId, known }: DetailProps) {
  const { event, error, refetch } = useWholeEvent(sourceId, eventId, known);
  if (!event) return error ? <FailureNotice error={error} onRetry={refetch} /> : <Loader />;
  const { code, message, stack, runId, originalEvent } = errorRecordOf(event);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SectionTitle>{code}</SectionTitle>
      <p className="break-words">{message}</p>
      <p className="flex flex-wrap items-center gap-x-4 text-sm text-kumo-subtle">
        <Clock at={event.indexed_at_ms} />
        {runId !== "" && <CopyText value={runId} what="run id" />}
      </p>
      <div className="flex flex-wrap gap-2">
        <RunAgain sourceId={sourceId} originalEvent={originalEvent} />
        <ReplayButton sourceId={sourceId} event={event} />
        <CopyButton label="Copy the error" text={() => stack || `${code}: ${message}`} />
      </div>
      {stack !== "" && <Stack text={stack} sourceId={sourceId} />}
      {originalEvent !== null && originalEvent !== undefined && (
        <>
          <SectionTitle level={3}>Event being processed</SectionTitle>
          <JsonTree value={originalEvent} root="original_event" />
        </>
      )}
    </div>
  );
}

function RunAgain({ sourceId, originalEvent }: { sourceId: string; originalEvent: unknown }) {
  const run = useAction({
    run: () => runSource(sourceId, originalEvent === null ? undefined : { value: originalEvent }),
    done: ({ state }) => (state === "failed" ? "It failed again" : "The run succeeded"),
    changes: [sourceKeys.part(sourceId, "activity")],
  });
  return (
    <Button size="sm" icon={<PlayIcon />} loading={run.isPending} onClick={() => run.mutate()}>
      Run again
    </Button>
  );
}
