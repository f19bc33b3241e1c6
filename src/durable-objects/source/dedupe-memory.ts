import { type DedupeStrategy, type Remembered, UNIQUE_CAPACITY } from "#domain/dedupe.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";

/** Maximum characters of the ids in a backup: a stored value may have 2 MB. */
const MAX_KEPT_LENGTH = 500_000;

/** The ids by which a source recognises what it has emitted, by strategy. */
export class DedupeMemory {
  readonly #kv: SyncKvStorage;
  readonly #history: EventHistory;
  // The ids of `unique`, cached so that a commit does not read a hundred event rows.
  #uniqueIds: readonly Remembered[] | undefined;

  constructor({ kv }: Pick<DurableObjectStorage, "kv">, history: EventHistory) {
    this.#kv = kv;
    this.#history = history;
  }

  of(strategy: DedupeStrategy): readonly Remembered[] {
    if (strategy === "unique") return (this.#uniqueIds ??= this.#unique());
    return this.#stored(strategy);
  }

  /** Events have the ids of `unique`: only the others are stored apart. */
  remember(strategy: DedupeStrategy, memory: readonly Remembered[]): void {
    if (strategy === "unique") this.#uniqueIds = memory;
    else this.#store(strategy, memory);
  }

  /** Read stored ids again, after a transaction that did not commit. */
  reset(): void {
    this.#uniqueIds = undefined;
  }

  /** The newest ids for a backup. */
  kept(strategy: DedupeStrategy): Remembered[] {
    let left = MAX_KEPT_LENGTH;
    const isKept = ({ id }: Remembered) => (left -= id.length) >= 0;
    const newestFirst = this.of(strategy).toReversed();
    const end = newestFirst.findIndex((one) => !isKept(one));
    return newestFirst.slice(0, end === -1 ? undefined : end).toReversed();
  }

  /** Continue with the ids of a backup, whose events it does not have. */
  restore(strategy: DedupeStrategy, memory: readonly Remembered[]): void {
    this.#store(strategy, memory);
    this.reset();
  }

  #unique(): readonly Remembered[] {
    return [...this.#stored("unique"), ...this.#history.uniqueIds()].slice(-UNIQUE_CAPACITY);
  }

  #stored(strategy: DedupeStrategy): readonly Remembered[] {
    return this.#kv.get<Remembered[]>(`dedupe:${strategy}`) ?? [];
  }

  #store(strategy: DedupeStrategy, memory: readonly Remembered[]): void {
    this.#kv.put(`dedupe:${strategy}`, memory);
  }
}
