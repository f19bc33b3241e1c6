import type { Api } from "../api.ts";
import { type CommandOptions, apiFor } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { line } from "../terminal/output.ts";
import { show } from "../terminal/show.ts";
import type { EventSummary, Source } from "../wire.ts";

type LogsOptions = CommandOptions & { count: number; follow?: boolean };

const CHANNELS = ["$logs", "$errors"];

/** Runs are not stored: only an open stream receives them. */
const FOLLOWED = [...CHANNELS, "$runs"];

/** Show the last log lines and errors of a source, or of all, and optionally new ones. */
export async function logs(given: string | undefined, options: LogsOptions): Promise<void> {
  const api = await apiFor(options);
  const source = given === undefined ? undefined : await sourceNamed(api, given);
  const write = show(options);
  const last = await lastLines(api, source, options.count);
  for (const event of last) write(event);
  if (last.length === 0 && !options.json) line("No log lines yet");
  if (!options.follow) return;
  const query = { event_name: FOLLOWED, emitter_id: source?.id };
  for await (const event of api.follow("/users/me/sse", query)) write(event);
}

/** The last lines of all sources together, up to the requested number, oldest first. */
async function lastLines(api: Api, source: Source | undefined, count: number) {
  const sources: Source[] = source ? [source] : [];
  if (!source) for await (const one of api.rows<Source>("/users/me/sources")) sources.push(one);
  const lists = await Promise.all(
    sources.flatMap(({ id }) =>
      CHANNELS.map(async (channel) => {
        const query = { expand: "event", limit: count };
        const path = `/sources/${id}/${channel}/event_summaries`;
        const { data } = await api.request<{ data: EventSummary[] }>("GET", path, { query });
        return data;
      }),
    ),
  );
  return lists.flat().toSorted(byId).slice(-count);
}

/** The order of emission, also within a run: an id is `<epoch ms>-<count>`. */
function byId(a: EventSummary, b: EventSummary): number {
  const [count, other] = [a, b].map(({ id }) => Number(id.split("-")[1]));
  return a.indexed_at_ms - b.indexed_at_ms || (count ?? 0) - (other ?? 0);
}
