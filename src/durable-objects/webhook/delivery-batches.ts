import { fromJson, type JsonOf, toJson } from "#domain/json.ts";
import { fitsBytes, MAX_ROW_BYTES } from "#domain/row-size.ts";

import type { NewDelivery } from "./contract.ts";

/** Maximum bytes of a batch: its row has a number beside it. */
const MAX_BYTES = MAX_ROW_BYTES - 100;

/** Rows of many deliveries each: an insert and a delete for the batch replace an update for each delivery. */
export class DeliveryBatches {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Store deliveries in one row. Returns its id; undefined if they do not fit. */
  add(deliveries: readonly NewDelivery[]): number | undefined {
    const text = toJson(deliveries);
    if (!fitsBytes(text, MAX_BYTES)) return undefined;
    return this.#sql
      .exec<{ id: number }>("INSERT INTO batches (deliveries) VALUES (?) RETURNING id", text)
      .one().id;
  }

  delete(id: number): void {
    this.#sql.exec("DELETE FROM batches WHERE id = ?", id);
  }

  /** The deliveries of all batches, oldest first. */
  all(): NewDelivery[] {
    return this.#sql
      .exec<{ deliveries: JsonOf<NewDelivery[]> }>("SELECT deliveries FROM batches ORDER BY id")
      .toArray()
      .flatMap(({ deliveries }) => fromJson(deliveries));
  }

  clear(): void {
    this.#sql.exec("DELETE FROM batches");
  }
}
