import { earliest } from "#durable-objects/shared/alarm.ts";

/** An alarm that is so late was lost. */
const LOST_MS = 60_000;

/** The one alarm of an owner's object: each write of it costs a row, so it is only brought forward until it fires. */
export class OwnerAlarm {
  readonly #storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">;
  readonly #nextDueMs: () => (number | undefined)[];
  // Undefined: unknown, or not set.
  #armedMs: number | undefined;

  /** `nextDueMs`: reads the due times from storage, epoch milliseconds. */
  constructor(
    storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">,
    nextDueMs: () => (number | undefined)[],
  ) {
    this.#storage = storage;
    this.#nextDueMs = nextDueMs;
  }

  /** Read the alarm when the object wakes: one that does not know it would write it again. */
  async recall(): Promise<void> {
    const setMs = await this.#storage.getAlarm();
    this.#armedMs ??= setMs ?? undefined;
  }

  /** Let the alarm fire at `atMs` or before. */
  bringForward(atMs: number): void {
    const armedMs = this.#armedMs;
    if (armedMs !== undefined && armedMs <= atMs && armedMs > Date.now() - LOST_MS) return;
    this.#set(earliest(atMs, ...this.#nextDueMs()));
  }

  /** Set the next alarm, after one has fired. */
  rearm(): void {
    this.#set(earliest(...this.#nextDueMs()));
  }

  #set(atMs: number | undefined): void {
    this.#armedMs = atMs;
    if (atMs !== undefined) void this.#storage.setAlarm(atMs);
  }
}
