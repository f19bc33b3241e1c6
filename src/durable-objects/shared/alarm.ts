/** The one alarm of an object, shared by everything that is due at some time. */
export class Alarm {
  readonly #storage: DurableObjectStorage;
  readonly #dueTimes: (() => number | undefined)[];
  #armedMs: number | undefined;

  /** `nextDueMs` reads from storage when anything is due next, epoch milliseconds. */
  constructor(storage: DurableObjectStorage, nextDueMs: () => number | undefined) {
    this.#storage = storage;
    this.#dueTimes = [nextDueMs];
  }

  /** Ring for a part too that is built on this alarm, when that is due next. */
  include(nextDueMs: () => number | undefined): void {
    this.#dueTimes.push(nextDueMs);
  }

  /** Read when it rings, as an object does when it wakes: one that does not know it would write it anew. */
  async recall(): Promise<void> {
    const setMs = await this.#storage.getAlarm();
    this.#armedMs ??= setMs ?? undefined;
  }

  /** Make sure that the alarm rings at `atMs` or before. Writes only when it has to ring earlier than it would. */
  arm(atMs: number): void {
    if (this.#armedMs !== undefined && this.#armedMs <= atMs) return;
    // An alarm that is not known, or is lost, must not be moved past the due time.
    const dueMs = this.#armedMs === undefined ? this.#nextDueMs() : undefined;
    this.#armedMs = Math.min(atMs, dueMs ?? atMs);
    void this.#storage.setAlarm(this.#armedMs);
  }

  /** Set the alarm where there is none though something is due: one that fails six times is gone. False: there is no need. */
  async keep(): Promise<boolean> {
    if (this.#nextDueMs() === undefined || (await this.#storage.getAlarm()) !== null) return false;
    this.rearm();
    return true;
  }

  /** Set the next alarm, after one has fired. */
  rearm(): void {
    this.#armedMs = undefined;
    const dueMs = this.#nextDueMs();
    if (dueMs !== undefined) this.arm(dueMs);
  }

  #nextDueMs(): number | undefined {
    return earliest(...this.#dueTimes.map((nextDueMs) => nextDueMs()));
  }
}

/** The first of some times, of which each may be unknown. */
export function earliest(...times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
