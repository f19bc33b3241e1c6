import type { RunningPlatform } from "./platform.ts";

const TIMEOUT_MS = 30_000;

type Caller = Pick<RunningPlatform, "url" | "apiKey">;

/** A deployed source, as far as our scripts look at it. */
export type DeployedSource = {
  id: string;
  configured_props: Record<string, { endpoint_url?: string } | undefined>;
};

/** One event summary. */
export type Summary = {
  id: string;
  event: Record<string, unknown>;
  metadata: { summary?: string };
};

/** Call the v1 API; anything but a 2xx throws, with what the API said. */
export async function call<T>(caller: Caller, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${caller.url}${path}`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  const answer: { data: T } = JSON.parse(text);
  return answer.data;
}

/** Deploy component code as a source. */
export function deploy(caller: Caller, code: string, name?: string): Promise<DeployedSource> {
  return call(caller, "/sources", { component_code: code, ...(name ? { name } : {}) });
}

/** The source's last events with all their data, newest first. */
export function eventsOf(caller: Caller, { id }: DeployedSource): Promise<Summary[]> {
  return call(caller, `/sources/${id}/event_summaries?expand=event&limit=100`);
}

/** Where the source's HTTP interface listens. */
export function endpointOf({ id, configured_props: props }: DeployedSource, prop = "http"): string {
  const url = props[prop]?.endpoint_url;
  if (!url) throw new Error(`Source ${id} has no endpoint`);
  return url;
}
