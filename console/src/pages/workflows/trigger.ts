import { formatDuration } from "../../components/format.ts";
import type { Workflow } from "./queries.ts";

/** The trigger of a workflow, in addition to its subscriptions. */
export function describeTrigger({
  type,
  cron,
  timezone = "UTC",
  interval_seconds: seconds,
}: Workflow["trigger"]): string {
  if (type === "http") return "HTTP request";
  if (type === "none") return "Subscriptions and the API";
  if (cron !== undefined) return `Cron ${cron} (${timezone})`;
  return seconds === undefined ? "Timer" : `Every ${formatDuration(seconds * 1000)}`;
}
