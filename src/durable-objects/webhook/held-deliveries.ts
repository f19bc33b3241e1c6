import { deliveryId, type DeliveryKey } from "#domain/delivery-ids.ts";
import type { Position } from "#domain/event-ids.ts";

import type { NewDelivery } from "./contract.ts";
import type { DeliveryBatches } from "./delivery-batches.ts";
import type { PendingDelivery } from "./delivery-rows.ts";

/** From this number on, a batch costs fewer rows than its deliveries. */
const MIN_IN_BATCH = 3;

/** Maximum deliveries in batches, and their characters, because they stay in memory. */
const MAX_IN_BATCHES = 5000;
const MAX_CHARACTERS_IN_BATCHES = 2_000_000;

/** The ids and other short texts of a delivery, characters. */
const REST_CHARACTERS = 300;

type Batch = { id: number; remaining: number };

type Held = { delivery: NewDelivery; durable: PromiseWithResolvers<void>; batch?: Batch };

/**
 * Deliveries without a row of their own, in memory. Those in no batch are still in the outbox of their emitter, so a crash
 * only repeats attempts.
 */
export class HeldDeliveries {
  readonly #batches: DeliveryBatches;
  readonly #held = new Map<string, Held>();
  #inBatches = 0;
  #charactersInBatches = 0;

  constructor(batches: DeliveryBatches) {
    this.#batches = batches;
  }

  add(delivery: NewDelivery): void {
    const durable = Promise.withResolvers<void>();
    // It rejects also if nobody waits for it.
    durable.promise.catch(() => undefined);
    this.#held.set(deliveryId(delivery), { delivery, durable });
  }

  has(key: DeliveryKey): boolean {
    return this.#held.has(deliveryId(key));
  }

  /** A delivery as its first attempt sends it. */
  get(key: DeliveryKey): PendingDelivery | undefined {
    const held = this.#held.get(deliveryId(key));
    return held && { ...held.delivery, attempt: 1, failures: 0, attempts: [] };
  }

  all(): NewDelivery[] {
    return [...this.#held.values()].map(({ delivery }) => delivery);
  }

  /** Those of `keys` that are in no batch, each once. */
  unstored(keys: readonly DeliveryKey[]): NewDelivery[] {
    return this.#find(keys).flatMap(({ delivery, batch }) => (batch ? [] : delivery));
  }

  /** Those in batches. */
  batched(): NewDelivery[] {
    return [...this.#held.values()].flatMap(({ delivery, batch }) => (batch ? delivery : []));
  }

  /** Those that arrived first, at most `limit`. */
  earliest(limit: number): DeliveryKey[] {
    return [...this.#held.values().take(limit)].map(({ delivery: { position, emitterId } }) => ({
      position,
      emitterId,
    }));
  }

  /** Store unstored deliveries in one row. False if they are too few, or there is no room: then nothing is stored. */
  batch(deliveries: readonly NewDelivery[]): boolean {
    const characters = charactersOf(deliveries);
    if (!this.#hasRoom(deliveries.length, characters)) return false;
    const id = this.#batches.add(deliveries);
    if (id === undefined) return false;
    const batch = { id, remaining: deliveries.length };
    this.#inBatches += deliveries.length;
    this.#charactersInBatches += characters;
    for (const held of this.#find(deliveries)) {
      held.batch = batch;
      held.durable.resolve();
    }
    return true;
  }

  #hasRoom(count: number, characters: number): boolean {
    return (
      count >= MIN_IN_BATCH &&
      this.#inBatches + count <= MAX_IN_BATCHES &&
      this.#charactersInBatches + characters <= MAX_CHARACTERS_IN_BATCHES
    );
  }

  /** Remove deliveries that have rows of their own now, and each batch whose last ones these were. */
  remove(keys: readonly DeliveryKey[]): void {
    const removed = this.#find(keys);
    // Storage first: if that fails, memory must still have them all.
    for (const id of endedIn(removed)) this.#batches.delete(id);
    for (const { delivery, durable, batch } of removed) {
      this.#held.delete(deliveryId(delivery));
      durable.resolve();
      if (batch) this.#removeFrom(batch, delivery);
    }
  }

  /** Drop deliveries that could not be stored, and reject the calls that wait for them with the error. */
  reject(deliveries: readonly NewDelivery[], error: unknown): void {
    for (const { delivery, durable } of this.#find(deliveries)) {
      this.#held.delete(deliveryId(delivery));
      durable.reject(error);
    }
  }

  #removeFrom(batch: Batch, delivery: NewDelivery): void {
    this.#inBatches -= 1;
    this.#charactersInBatches -= charactersOf([delivery]);
    batch.remaining -= 1;
  }

  /** Resolves once all of these are stored, in a batch or in rows of their own. Rejects if one could not be. */
  async whenDurable(keys: readonly DeliveryKey[]): Promise<void> {
    await Promise.all(this.#find(keys).map(({ durable }) => durable.promise));
  }

  /** The lowest position; undefined if there are none. */
  lowestPosition(): Position | undefined {
    let first: Position | undefined;
    for (const { delivery } of this.#held.values())
      first = Math.min(first ?? delivery.position, delivery.position);
    return first;
  }

  /** Those that are held, each once: a call may contain an event twice. */
  #find(keys: readonly DeliveryKey[]): Held[] {
    return [...new Set(keys.flatMap((key) => this.#held.get(deliveryId(key)) ?? []))];
  }
}

function charactersOf(deliveries: readonly NewDelivery[]): number {
  return deliveries.reduce(
    (sum, { payload, eventName }) => sum + payload.length + eventName.length + REST_CHARACTERS,
    0,
  );
}

/** The batches that have no other deliveries than these. */
function endedIn(removed: readonly Held[]): number[] {
  const batches = removed.flatMap(({ batch }) => batch ?? []);
  return [...Map.groupBy(batches, (batch) => batch)].flatMap(([{ id, remaining }, members]) =>
    members.length === remaining ? id : [],
  );
}
