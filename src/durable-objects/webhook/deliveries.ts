import { deliveryId, type DeliveryKey } from "#domain/delivery-ids.ts";
import { millisecondsOf, type Position } from "#domain/event-ids.ts";
import { fromJson, type JsonOf } from "#domain/json.ts";

import type { NewDelivery, ReceivedResponse } from "./contract.ts";
import { DeliveryBatches } from "./delivery-batches.ts";
import {
  INSERT,
  INSERT_TRIED,
  type KeyRow,
  keyOf,
  type Next,
  owedOf,
  type PendingDelivery,
  type Row,
  takenValuesOf,
  type Tried,
  triedValuesOf,
  UPDATE_TRIED,
} from "./delivery-rows.ts";
import { HeldDeliveries } from "./held-deliveries.ts";
import { Watermark } from "./watermark.ts";

const EMPTY: ReceivedResponse = { headers: {}, body: "", isTruncated: false };

/**
 * All deliveries of a webhook: those with rows, and those held until they have one. A row without attempts is `pending`
 * without a due time, and at or above the watermark.
 */
export class Deliveries {
  readonly held: HeldDeliveries;
  readonly watermark: Watermark;
  readonly #batches: DeliveryBatches;
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  #isUnrecovered = false;
  /** The last position of all that ever came, or a later one; undefined until it is needed. */
  #end: Position | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.watermark = new Watermark(storage);
    this.#batches = new DeliveryBatches(storage.sql);
    this.held = new HeldDeliveries(this.#batches);
  }

  /** Store held deliveries: many together, others each in its row. */
  store(deliveries: readonly NewDelivery[]): void {
    if (!this.held.batch(deliveries)) this.#put(deliveries);
  }

  /** Give deliveries in batches their rows, so that queries find them: one, or all. */
  unpack(one?: DeliveryKey): void {
    const batched = this.held.batched();
    this.#put(one ? batched.filter((each) => deliveryId(each) === deliveryId(one)) : batched);
  }

  /**
   * Give each delivery that an earlier process stored in a batch its row. An inactive webhook gives them up: a release that
   * does not know batches may have switched it off. Returns whether there were any.
   */
  recover(isActive: boolean): boolean {
    this.#isUnrecovered = true;
    const batched = this.#batches.all();
    if (batched.length > 0)
      this.#storage.transactionSync(() => {
        this.#batches.clear();
        this.#insertAll(batched);
        if (!isActive) this.#giveUp(Date.now());
        this.held.remove(batched);
      });
    this.#isUnrecovered = false;
    return batched.length > 0;
  }

  /** Whether `recover` failed. */
  get isUnrecovered(): boolean {
    return this.#isUnrecovered;
  }

  #put(deliveries: readonly NewDelivery[]): void {
    // Memory changes last: what a failed transaction does not store must stay there.
    this.#storage.transactionSync(() => {
      this.#insertAll(deliveries);
      this.held.remove(deliveries);
    });
  }

  #insertAll(deliveries: readonly NewDelivery[]): void {
    const added = deliveries.flatMap((delivery) => this.#insert(delivery));
    this.watermark.lower(Math.min(...added.map(({ position }) => position)));
  }

  /** Accept new deliveries without storing them. Returns the keys of new ones. */
  hold(deliveries: readonly NewDelivery[]): DeliveryKey[] {
    return deliveries.flatMap((delivery) => {
      if (this.held.has(delivery) || this.#isStored(delivery)) return [];
      this.held.add(delivery);
      const { position, emitterId } = delivery;
      return [{ position, emitterId }];
    });
  }

  #isStored({ position, emitterId }: DeliveryKey): boolean {
    // Most events are later than all before, and then nothing need be read.
    const end = this.#end ?? this.last() ?? 0;
    this.#end = Math.max(end, position);
    if (position > end) return false;
    const found = this.#sql.exec(
      "SELECT 1 FROM deliveries WHERE position = ? AND emitter_id = ?",
      position,
      emitterId,
    );
    return found.toArray().length > 0;
  }

  #insert(delivery: NewDelivery): DeliveryKey[] {
    if (this.#end !== undefined) this.#end = Math.max(this.#end, delivery.position);
    return this.#sql
      .exec<KeyRow>(INSERT, ...takenValuesOf(delivery))
      .toArray()
      .map(keyOf);
  }

  /** The deliveries to send at `nowMs`: at most `limit` of those due again, and of those without attempts. */
  waiting(nowMs: number, limit: number): DeliveryKey[] {
    const due = this.#sql.exec<KeyRow>(
      "SELECT position, emitter_id FROM deliveries WHERE due_ms <= ? ORDER BY due_ms LIMIT ?",
      nowMs,
      limit,
    );
    const fresh = this.#sql.exec<KeyRow>(
      `SELECT position, emitter_id FROM deliveries
       WHERE position >= ? AND state = 'pending' AND due_ms IS NULL ORDER BY position LIMIT ?`,
      this.watermark.position,
      limit,
    );
    // The oldest of both kinds: else new ones that are held would overtake stored ones as long as more come.
    const untried = [...this.held.earliest(limit), ...fresh.toArray().map(keyOf)]
      .toSorted((one, other) => one.position - other.position)
      .slice(0, limit);
    return [...due.toArray().map(keyOf), ...untried];
  }

  /** A delivery with its payload, or undefined if it need not be sent any more. */
  pending({ position, emitterId }: DeliveryKey): PendingDelivery | undefined {
    const held = this.held.get({ position, emitterId });
    if (held) return held;
    const [row] = this.#sql
      .exec<Row>(
        "SELECT * FROM deliveries WHERE position = ? AND emitter_id = ? AND settled_ms IS NULL",
        position,
        emitterId,
      )
      .toArray();
    return row && owedOf(row);
  }

  /** Store an attempt, its response and the delivery's next state, and the delivery itself if it has no row yet. */
  record(pending: PendingDelivery, tried: Tried, next: Next): void {
    const changes = triedValuesOf(pending, tried, next);
    const { position, emitterId } = pending;
    this.#storage.transactionSync(() => {
      if (!this.held.has(pending)) this.#sql.exec(UPDATE_TRIED, ...changes, position, emitterId);
      else this.#sql.exec(INSERT_TRIED, ...takenValuesOf(pending), ...changes);
      this.held.remove([pending]);
    });
  }

  /** Give up all unsettled deliveries. */
  failAllPending(nowMs: number): void {
    const held = this.held.all();
    this.#storage.transactionSync(() => {
      this.#insertAll(held);
      this.#giveUp(nowMs);
      this.held.remove(held);
    });
  }

  #giveUp(nowMs: number): void {
    const dead = "UPDATE deliveries SET state = 'dead', due_ms = NULL, settled_ms = ?";
    this.#sql.exec(`${dead} WHERE due_ms NOT NULL`, nowMs);
    const from = this.watermark.position;
    this.#sql.exec(`${dead} WHERE position >= ? AND state = 'pending'`, nowMs, from);
  }

  /** A delivery with its payload, in any state. */
  find({ position, emitterId }: DeliveryKey): PendingDelivery | undefined {
    const [row] = this.#sql
      .exec<Row>(
        "SELECT * FROM deliveries WHERE position = ? AND emitter_id = ?",
        position,
        emitterId,
      )
      .toArray();
    return row && owedOf(row);
  }

  /** The response to the last attempt; null if none was stored. */
  lastResponse({ position, emitterId }: DeliveryKey): ReceivedResponse | null {
    const [row] = this.#sql
      .exec<{ last_response: JsonOf<Partial<ReceivedResponse>> | null }>(
        "SELECT last_response FROM deliveries WHERE position = ? AND emitter_id = ?",
        position,
        emitterId,
      )
      .toArray();
    return row?.last_response ? { ...EMPTY, ...fromJson(row.last_response) } : null;
  }

  /** The time of the next delivery that was not due at `sinceMs`, epoch milliseconds. */
  nextDueMs(sinceMs: number): number | undefined {
    return (
      this.#sql
        .exec<{ due: number | null }>(
          "SELECT min(due_ms) AS due FROM deliveries WHERE due_ms > ?",
          sinceMs,
        )
        .one().due ?? undefined
    );
  }

  /** Delete deliveries that settled before `beforeMs`. */
  forget(beforeMs: number): void {
    // Younger deliveries cannot have settled then, and need not be read.
    this.#sql.exec(
      "DELETE FROM deliveries WHERE position < ? AND settled_ms < ?",
      beforeMs * 1000,
      beforeMs,
    );
  }

  /** The time of the oldest stored event, epoch milliseconds. */
  oldestMs(): number | undefined {
    const { oldest } = this.#sql
      .exec<{ oldest: Position | null }>("SELECT min(position) AS oldest FROM deliveries")
      .one();
    return oldest === null ? undefined : millisecondsOf(oldest);
  }

  /** The position of the first unsettled delivery; undefined: all are settled. */
  firstUnsettled(): Position | undefined {
    const { due, fresh } = this.#sql
      .exec<{ due: Position | null; fresh: Position | null }>(
        `SELECT (SELECT min(position) FROM deliveries WHERE due_ms NOT NULL) AS due,
           (SELECT position FROM deliveries WHERE position >= ? AND state = 'pending' AND due_ms IS NULL
            ORDER BY position LIMIT 1) AS fresh`,
        this.watermark.position,
      )
      .one();
    const first = Math.min(
      due ?? Infinity,
      fresh ?? Infinity,
      this.held.lowestPosition() ?? Infinity,
    );
    return first === Infinity ? undefined : first;
  }

  /** The last position; undefined if there are no deliveries. */
  last(): Position | undefined {
    const { last } = this.#sql
      .exec<{ last: Position | null }>("SELECT max(position) AS last FROM deliveries")
      .one();
    return last ?? undefined;
  }
}
