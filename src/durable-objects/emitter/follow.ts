import type { EventHistory } from "./history.ts";
import type { Streams } from "./streams.ts";

type Emitter = { history: EventHistory; streams: Streams };

/** The streams of its other shards, for a reader of this one. */
type Feeds = readonly ReadableStream<Uint8Array>[];

/**
 * Open a stream of an emitter's events. `event_name`: channels (none: all but the platform's own);
 * `last_event_id`: the last event the reader has, after which it resumes.
 */
function follow(
  { history, streams }: Emitter,
  params: URLSearchParams,
  feeds: Feeds | undefined,
): Response {
  const channels = params.getAll("event_name");
  const last = params.get("last_event_id");
  if (last === null) return streams.open(channels, undefined, feeds);
  return streams.open(channels, history.reader.missed(last, channels), feeds);
}

/**
 * Handle the API's request for a stream of an emitter's events: `/stream`, the only use of `fetch` on objects, because
 * it has no end.
 */
export function streamTo({ url }: Request, emitter: Emitter | null, feeds?: Feeds): Response {
  const { pathname, searchParams } = new URL(url);
  // During a rollout, the previous release's entry Worker still sends events this way.
  if (pathname !== "/stream")
    return new Response(null, { status: 503, headers: { "retry-after": "1" } });
  if (emitter) return follow(emitter, searchParams, feeds);
  return Response.json({ error: "Nothing is deployed here", code: "not_found" }, { status: 404 });
}
