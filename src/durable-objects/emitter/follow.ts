import { positionAt } from "#domain/event-ids.ts";
import type { Shard } from "#domain/source-shards.ts";
import { OVERTAKING_MS, placeIn, type Places, placesOf } from "#domain/stream-places.ts";

import type { EventHistory } from "./history.ts";
import type { Feed, Missed, Streams } from "./streams.ts";

type Emitter = { history: EventHistory; streams: Streams };

/** The parameter with the number of a shard whose stream is a feed of another one. */
const FEED = "feed";

/** The header of a feed with the position of its newest event. */
const NEWEST = "wellspring-newest";

const NOTHING_MISSED: Missed = { events: [], isAll: true };

/** The URL of the stream of another shard, for a reader of this one. */
export function feedUrl(url: string, shard: Shard): string {
  const feed = new URL(url);
  feed.searchParams.set(FEED, String(shard));
  return feed.href;
}

/** The stream of another shard. One where nothing is deployed yet has no events. */
export function feedOf({ ok, body, headers }: Response, shard: Shard): Feed {
  if (!ok || !body) return { shard, body: null, newest: 0 };
  // The previous release sends no position.
  const newest = Number(headers.get(NEWEST) ?? positionAt(Date.now() - OVERTAKING_MS));
  return { shard, body, newest };
}

/**
 * Open a stream of an emitter's events. `event_name`: channels (none: all but the platform's own);
 * `last_event_id`: the id of the last message that the reader has, after which it resumes.
 */
function follow(
  { history, streams }: Emitter,
  params: URLSearchParams,
  feeds: readonly Feed[],
): Response {
  const channels = params.getAll("event_name");
  const feed = params.get(FEED);
  const last = params.get("last_event_id");
  const places = last === null ? undefined : (placesOf(last) ?? []);
  const missed = places
    ? history.reader.missed(placeIn(places, Number(feed ?? 0)), channels)
    : NOTHING_MISSED;
  const response = streams.open({
    channels,
    missed,
    feeds,
    isFeed: feed !== null,
    places: feeds.length > 0 ? placesWith(feeds, places, history) : undefined,
  });
  if (feed !== null) response.headers.set(NEWEST, String(history.newest()));
  return response;
}

/** The place of a reader in each shard: that from which it resumes, or that of now. */
function placesWith(
  feeds: readonly Feed[],
  places: Places | undefined,
  history: EventHistory,
): Places {
  const now = [history.newest(), ...feeds.map(({ newest }) => newest)];
  return places ? now.map((_, shard) => placeIn(places, shard)) : now;
}

/**
 * Handle the API's request for a stream of an emitter's events: `/stream`, the only use of `fetch` on objects, because
 * it has no end. `feeds`: the streams of its other shards, by number.
 */
export function streamTo(
  { url }: Request,
  emitter: Emitter | null,
  feeds: readonly Feed[] = [],
): Response {
  const { pathname, searchParams } = new URL(url);
  // During a rollout, the previous release's entry Worker still sends events this way.
  if (pathname !== "/stream")
    return new Response(null, { status: 503, headers: { "retry-after": "1" } });
  if (emitter) return follow(emitter, searchParams, feeds);
  return Response.json({ error: "Nothing is deployed here", code: "not_found" }, { status: 404 });
}
