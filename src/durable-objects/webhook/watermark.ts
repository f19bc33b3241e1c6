import type { Position } from "#domain/event-ids.ts";

/** In storage, under its former name. */
const WATERMARK = "floor";

/** Maximum settled deliveries between the stored watermark and the real one: to read them in each process costs less than to store it. */
const MAX_LAG = 32;

/**
 * A position below which no delivery with a row is without attempts, which saves the search for such ones from reading all settled
 * ones.
 */
export class Watermark {
  readonly #sql: SqlStorage;
  readonly #kv: SyncKvStorage;
  /** It may be above the stored one. */
  #raised: Position | undefined;

  constructor({ sql, kv }: DurableObjectStorage) {
    this.#sql = sql;
    this.#kv = kv;
  }

  get position(): Position {
    return this.#raised ?? this.#stored();
  }

  /** Lower it to the position of a new delivery. */
  lower(position: Position): void {
    if (position < this.position) this.#raised = position;
    if (position < this.#stored()) this.#kv.put(WATERMARK, position);
  }

  /** Raise it to the first delivery without attempts, or above all. */
  advance(): void {
    const { position } = this;
    const { first, last } = this.#sql
      .exec<{ first: Position | null; last: Position | null }>(
        `SELECT
           (SELECT position FROM deliveries WHERE position >= ? AND state = 'pending' AND due_ms IS NULL
            ORDER BY position LIMIT 1) AS first,
           (SELECT max(position) FROM deliveries) AS last`,
        position,
      )
      .one();
    const raised = first ?? (last === null ? position : last + 1);
    if (raised <= position) return;
    this.#raised = raised;
    if (this.#isLong(this.#stored(), raised)) this.#kv.put(WATERMARK, raised);
  }

  /** Whether the number of deliveries between two positions justifies storing a watermark above them. */
  #isLong(from: Position, to: Position): boolean {
    const { count } = this.#sql
      .exec<{ count: number }>(
        `SELECT count(*) AS count FROM
           (SELECT 1 FROM deliveries WHERE position >= ? AND position < ? LIMIT ?)`,
        from,
        to,
        MAX_LAG,
      )
      .one();
    return count >= MAX_LAG;
  }

  #stored(): Position {
    return this.#kv.get<Position>(WATERMARK) ?? 0;
  }
}
