/** Which of an emitter's events a reader asks for. */
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

/** An event as readers see it (spec: Event summary). */
export type EventSummary = {
  id: string;
  indexedAtMs: number;
  /** JSON text, cut to size unless expanded. */
  payload: string;
  truncated: boolean;
  channel: string;
  emitId: string;
  /** What `$emit` was given. */
  meta: { id?: string; summary?: string; ts?: number };
};

/** Newest first. */
export type EventPage = { events: EventSummary[]; totalCount: number };

/** Both ends inclusive, either absent. */
export type EventRange = {
  startId?: string | undefined;
  endId?: string | undefined;
  channel?: string | undefined;
};
