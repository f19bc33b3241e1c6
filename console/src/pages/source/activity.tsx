import { useQuery } from "@tanstack/react-query";

import { activityQuery } from "../../api/sources.ts";
import { formatCount } from "../../components/format.ts";

/** The activity of a source in the last day, as text. */
export function Activity({ sourceId }: { sourceId: string }) {
  const { data } = useQuery(activityQuery(sourceId));
  if (!data) return null;
  const { runs, failures, events } = data.totals;
  return (
    <span>
      24 hours: {formatCount(runs, "run")}, {formatCount(events, "event")}
      {failures > 0 && (
        <span className="text-kumo-danger">, {formatCount(failures, "failed run")}</span>
      )}
    </span>
  );
}
