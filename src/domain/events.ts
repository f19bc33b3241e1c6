/** Number of events of each channel that an emitter keeps (docs/contract.md: Sizes). */
export const HISTORY_LENGTH = 100;

/** The query for an emitter's events. */
export type EventQuery = {
  limit: number;
  /** Event ids, exclusive. At most one of the two. */
  after?: string | undefined;
  before?: string | undefined;
  /** One channel; undefined: default and custom channels, never `$…`. */
  channel?: string | undefined;
  /** Whole payloads rather than ones cut to 1 KB. */
  expand: boolean;
};

/** An event as readers see it (docs/contract.md: Event summaries). */
export type EventSummary = {
  id: string;
  indexedAtMs: number;
  /** JSON text, cut to size unless expanded. */
  payload: string;
  truncated: boolean;
  channel: string;
  emitId: string;
  meta: EventMeta;
};

/** The metadata argument of `$emit`. */
export type EventMeta = {
  id?: string | undefined;
  summary?: string | undefined;
  ts?: number | undefined;
  /** Of a resent event: the emit id of the first one. */
  replay_of?: string | undefined;
};

/** Events of one call, newest first, and the ids of the remaining ones, for the next call. */
export type EventPart = { events: EventSummary[]; rest: string[] };

/** The beginning of a page, and the length of the whole list. */
export type EventPage = EventPart & { totalCount: number };

/** Both ends inclusive, either absent. */
export type EventRange = {
  startId?: string | undefined;
  endId?: string | undefined;
  channel?: string | undefined;
};
