import { type CommandOptions, apiFor } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { show } from "../terminal/show.ts";
import type { EventSummary } from "../wire.ts";

type EventsOptions = CommandOptions & { count: number; follow?: boolean; channel?: string };

/** Show the last events of a source, and optionally new ones. */
export async function events(given: string, options: EventsOptions): Promise<void> {
  const api = await apiFor(options);
  const { id } = await sourceNamed(api, given);
  const query = { expand: "event", event_name: options.channel };
  const last: EventSummary[] = [];
  const rows = api.rows<EventSummary>(`/sources/${id}/event_summaries`, query, options.count);
  for await (const event of rows) last.push(event);
  const write = show(options);
  for (const event of last.toReversed()) write(event);
  if (!options.follow) return;
  const newest = last[0]?.id;
  const after = newest === undefined ? {} : { after: newest };
  const path = `/sources/${id}/sse`;
  for await (const event of api.follow(path, { event_name: options.channel }, after)) write(event);
}
