/**
 * The columns of each kind of data point beside its kind, its owner and its count: the blobs from the third and the
 * doubles from the second on (docs/monitoring.md). A stored point has positions only: columns are added at the end, and
 * never change their meaning.
 */
export const COLUMNS = {
  run: { blobs: ["emitter_id", "outcome", "trigger"], doubles: ["duration_ms", "compute_ms"] },
  request: {
    blobs: ["route", "outcome", "method"],
    doubles: ["duration_ms", "status", "d1_round_trips"],
  },
  delivery: { blobs: ["webhook_id", "outcome"], doubles: ["duration_ms", "attempt", "age_ms"] },
  handover: { blobs: ["listener_kind", "outcome"], doubles: ["age_ms"] },
  outbox: { blobs: ["emitter_id"], doubles: ["age_ms", "events"] },
  queue: { blobs: ["queue"], doubles: ["age_ms", "messages", "bytes"] },
  sweep: { blobs: ["outcome"], doubles: ["duration_ms"] },
  upload: { blobs: ["script", "outcome"], doubles: ["duration_ms"] },
} as const;

type Kind = keyof typeof COLUMNS;

/** A measurement. Blobs are ids and words of the platform's own, doubles are numbers. */
export type Point = {
  [K in Kind]: {
    kind: K;
    owner_id?: string | undefined;
    /** The number of occurrences of its kind that it represents; 1 by default. */
    count?: number;
  } & Record<(typeof COLUMNS)[K]["blobs"][number], string> &
    Record<(typeof COLUMNS)[K]["doubles"][number], number>;
}[Kind];

/** No id, route or word of ours is longer, and a data point accepts 16 KB of blobs. */
const MAX_BLOB = 96;

/**
 * A point for Analytics Engine. If there are too many it keeps a sample of those with one index: by kind and owner (or
 * else its first blob), so that neither one tenant's activity nor the most frequent kind hides anything else.
 */
export function dataPointOf(point: Point): AnalyticsEngineDataPoint {
  const { kind, owner_id: owner = "", count = 1 } = point;
  const { blobs, doubles } = COLUMNS[kind];
  const values = new Map<string, unknown>(Object.entries(point));
  const text = (name: string): string => String(values.get(name)).slice(0, MAX_BLOB);
  return {
    indexes: [`${kind}:${owner || text(blobs[0])}`.slice(0, MAX_BLOB)],
    blobs: [kind, owner, ...blobs.map(text)],
    doubles: [count, ...doubles.map((name) => Number(values.get(name)))],
  };
}
