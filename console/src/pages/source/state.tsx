import { Button, LayerCard } from "@cloudflare/kumo";
import { DatabaseIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import {
  readStateValue,
  type SourceState,
  sourceKeys,
  stateQuery,
  type StateTimer,
} from "../../api/sources.ts";
import { LoadingRows } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatBytes, formatCount, formatDuration } from "../../components/format.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { Time } from "../../components/time.tsx";

/** The state of a source between its runs, and the next ticks of its timers. */
export function StateTab() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const { after } = useSearch({ from: "/shell/sources/$sourceId/state" });
  const { data, error, refetch, isFetching } = useQuery(stateQuery(sourceId, after));
  const notice = error && <FailureNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return notice ?? <LoadingRows label="State" />;
  return (
    <div className="flex flex-col gap-4">
      {notice}
      {data.timers.length > 0 && <Timers timers={data.timers} />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-kumo-subtle">
          {formatCount(data.keys, "key")}, {formatBytes(data.bytes)} in all
        </p>
        <Button size="sm" loading={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </div>
      <Values sourceId={sourceId} state={data} />
      <div className="flex gap-2">
        {after !== undefined && (
          <LinkButton to={`/sources/${sourceId}/state`} size="sm">
            First keys
          </LinkButton>
        )}
        {data.next !== null && (
          <LinkButton to={`/sources/${sourceId}/state`} search={{ after: data.next }} size="sm">
            More keys
          </LinkButton>
        )}
      </div>
    </div>
  );
}

function Values({
  sourceId,
  state: { db, keys, truncated },
}: {
  sourceId: string;
  state: SourceState;
}) {
  if (keys === 0)
    return (
      <EmptyState
        icon={<DatabaseIcon size={40} className="text-kumo-subtle" />}
        title="No state yet"
        sentence="Values that the component stores with this.db.set(key, value) are shown here. Run it once:"
        command={`npx wellspring run ${sourceId}`}
      />
    );
  return (
    <LayerCard className="flex flex-col gap-4 p-4">
      <JsonTree value={db} root="db" />
      {truncated.length > 0 && (
        <section aria-label="Truncated values" className="flex flex-col gap-2">
          <p className="text-sm text-kumo-subtle">
            Long values are truncated here. Each can be read whole:
          </p>
          {truncated.map((key) => (
            <WholeValue key={key} sourceId={sourceId} name={key} />
          ))}
        </section>
      )}
    </LayerCard>
  );
}

function WholeValue({ sourceId, name }: { sourceId: string; name: string }) {
  const [isRequested, setRequested] = useState(false);
  const { data, error, isSuccess, isFetching } = useQuery({
    queryKey: sourceKeys.part(sourceId, "value", name),
    queryFn: async () => ({ value: await readStateValue(sourceId, name) }),
    enabled: isRequested,
  });
  if (isSuccess) return <JsonTree value={data.value} root={name} />;
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Button size="sm" loading={isFetching} onClick={() => setRequested(true)}>
          Show all of {name}
        </Button>
      </div>
      {error && <FailureNotice error={error} />}
    </div>
  );
}

function Timers({ timers }: { timers: StateTimer[] }) {
  return (
    <LayerCard className="p-4">
      <SectionTitle>Timers</SectionTitle>
      <ul className="mt-2 flex flex-col gap-1">
        {timers.map((timer) => (
          <li key={timer.prop} className="flex flex-wrap gap-x-4">
            <span className="font-mono text-sm">{timer.prop}</span>
            <span className="text-kumo-subtle">{scheduleOf(timer)}</span>
            <span>
              next run <Time at={timer.next_at_ms} />
            </span>
          </li>
        ))}
      </ul>
    </LayerCard>
  );
}

function scheduleOf({ cron, timezone, interval_seconds: seconds }: StateTimer): string {
  if (cron !== undefined) return `cron ${cron} (${timezone ?? "UTC"})`;
  return seconds === undefined ? "" : `every ${formatDuration(seconds * 1000)}`;
}
