import { fromJson, type JsonOf, toJson } from "#domain/json.ts";

import type { NewDelivery } from "./contract.ts";

/** Rows of many deliveries each: one is written and deleted for a batch, not inserted and updated for each delivery. */
export class DeliveryBatches {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Store deliveries in one row. Returns its id. */
  add(deliveries: readonly NewDelivery[]): number {
    return this.#sql
      .exec<{ id: number }>(
        "INSERT INTO batches (deliveries) VALUES (?) RETURNING id",
        toJson(deliveries),
      )
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
