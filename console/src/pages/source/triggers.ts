import { formatDuration } from "../../components/format.ts";

/** The triggers of a source, as text: `requests`, `every 15 min`. */
export function triggersOf(props: Record<string, unknown>): string {
  return Object.values(props)
    .flatMap((value) => triggerOf(value) ?? [])
    .join(", ");
}

/** The URLs of a source's HTTP interfaces. */
export function endpointsOf(props: Record<string, unknown>): string[] {
  return Object.values(props).flatMap((value) => {
    const url = isObject(value) ? value["endpoint_url"] : undefined;
    return typeof url === "string" ? [url] : [];
  });
}

function triggerOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { endpoint_url: url, cron, intervalSeconds } = value;
  if (typeof url === "string") return "requests";
  if (typeof cron === "string") return `cron ${cron}`;
  if (typeof intervalSeconds === "number") return `every ${formatDuration(intervalSeconds * 1000)}`;
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
