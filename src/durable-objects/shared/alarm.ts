/** The one alarm of an object, shared by everything that is due at some time. */
export class Alarm {
  readonly #storage: DurableObjectStorage;
  readonly #dueTimes: (() => number | undefined)[];
  #armedMs: number | undefined;
  #isHandling = false;
  // Whether work became due at once while the alarm was handled.
  #isDueNow = false;

  /** `nextDueMs` reads the next due time from storage, epoch milliseconds. */
  constructor(storage: DurableObjectStorage, nextDueMs: () => number | undefined) {
    this.#storage = storage;
    this.#dueTimes = [nextDueMs];
  }

  /** Include the due times of a component that is built on this alarm. */
  include(nextDueMs: () => number | undefined): void {
    this.#dueTimes.push(nextDueMs);
  }

  /**
   * Read the alarm when it fires, as an object does when it wakes: an object that does not know it would write it
   * again.
   */
  async recall(): Promise<void> {
    const setMs = await this.#storage.getAlarm();
    this.#armedMs ??= setMs ?? undefined;
  }

  /**
   * Let the alarm fire at `atMs` or before. Writes only if it must fire earlier than it would, and is not set for `latestMs`
   * or before.
   */
  arm(atMs: number, latestMs = atMs): void {
    if (this.#isHandling) {
      this.#isDueNow ||= atMs <= Date.now();
      return;
    }
    if (this.#armedMs !== undefined && this.#armedMs <= latestMs) return;
    // An unknown or lost alarm must not be moved past the due time.
    const dueMs = this.#armedMs === undefined ? this.#nextDueMs() : undefined;
    this.#armedMs = Math.min(atMs, dueMs ?? atMs);
    void this.#storage.setAlarm(this.#armedMs);
  }

  /**
   * Set the alarm if there is none though something is due: the runtime drops one that fails six times. False: it is
   * not needed.
   */
  async keep(): Promise<boolean> {
    if (this.#nextDueMs() === undefined || (await this.#storage.getAlarm()) !== null) return false;
    // While it is handled there is none.
    if (this.#isHandling) return false;
    this.rearm();
    return true;
  }

  /**
   * Begin to handle the alarm, until `rearm`, which must follow. Meanwhile no alarm is set, because that writes a row: the
   * runtime repeats an alarm whose handler crashed, and `rearm` reads the next due time from storage.
   */
  handling(): void {
    this.#isHandling = true;
  }

  /** Set the next alarm, after one has fired. */
  rearm(): void {
    const dueMs = this.#isDueNow ? Date.now() : this.#nextDueMs();
    this.#isHandling = false;
    this.#isDueNow = false;
    this.#armedMs = dueMs;
    if (dueMs !== undefined) void this.#storage.setAlarm(dueMs);
  }

  #nextDueMs(): number | undefined {
    return earliest(...this.#dueTimes.map((nextDueMs) => nextDueMs()));
  }
}

/** The first of some times, each of which may be unknown. */
export function earliest(...times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
