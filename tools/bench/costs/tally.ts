/** Objects by the kind that their storage and requests are counted under. */
export type ObjectKind = "source" | "webhook" | "workflow" | "owner";

/** The counted units, by their names in the results. */
export type Measure =
  | "worker.requests"
  | "worker.batches"
  | "worker.logLines"
  | `${ObjectKind}.${"requests" | "alarms" | "activeMs" | "rowsRead" | "rowsWritten"}`
  | "queue.written"
  | "queue.read"
  | "queue.retried"
  | "d1.roundTrips"
  | "d1.sqlMs"
  | "d1.rowsRead"
  | "d1.rowsWritten"
  | "r2.writes"
  | "r2.reads"
  | "loader.loaded"
  | "loader.calls"
  | "workflows.instances"
  | "workflows.steps"
  | "analytics.points"
  | "network.requests";

export type Counts = Partial<Record<Measure, number>>;

/** Adds up the counts. */
export class Tally {
  readonly #counts: Counts = {};
  readonly #meters: (() => void)[] = [];

  add(what: Measure, by = 1): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + by;
  }

  /** Register a reading that is taken on each request for the counts, because it is known late. */
  readLater(meter: () => void): void {
    this.#meters.push(meter);
  }

  /** All counts until now. */
  counts(): Counts {
    for (const meter of this.#meters) meter();
    return { ...this.#counts };
  }
}
