import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";

import { emittersQuery, listenersQuery, sourceQuery } from "../../api/sources.ts";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Picture } from "./picture.tsx";
import { Subscribe } from "./subscribe.tsx";
import { Way } from "./way.tsx";

/** The listeners and emitters of a source, as a picture with buttons to subscribe. */
export function ListenersTab() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const { data: source } = useQuery(sourceQuery(sourceId));
  const listeners = useQuery(listenersQuery(sourceId));
  const emitters = useQuery(emittersQuery(sourceId));
  const failed = [listeners, emitters].find(({ error }) => error !== null);
  if (failed?.error)
    return <FailureNotice error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!listeners.data || !emitters.data || !source) return <LoadingRows label="Listeners" />;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-kumo-subtle">
          Each event goes to every listener of its channel whose filter it matches.
        </p>
        <Subscribe source={source} />
      </div>
      <Picture source={source} emitters={emitters.data} listeners={listeners.data} />
      <Way source={source} listeners={listeners.data} />
    </div>
  );
}
