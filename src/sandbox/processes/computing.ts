/** Silence after which the CPU time of a process is read, and the interval of later readings. */
const READ_FROM_MS = 200;
const READ_INTERVAL_MS = 100;

/** A process that is silent for this many times its CPU time counts as computing for the rest: it hangs otherwise. */
const MAX_SLOWDOWN = 10;

/**
 * Measures for how long the code of a silent process has computed: on a busy machine it gets less CPU time than the clock
 * shows, and must not be punished for that.
 */
export class Computing {
  readonly #cpuTime: () => Promise<number | undefined>;
  /** The silence and the CPU time at the first reading, and the latest CPU time, all in milliseconds. */
  #read: { silentMs: number; firstMs: number; latestMs: number } | undefined;
  #isReading = false;
  #nextMs = READ_FROM_MS;
  #isUnknown = false;

  /** `cpuTime`: reads the process' milliseconds of CPU time so far; undefined if the system does not report it. */
  constructor(cpuTime: () => Promise<number | undefined>) {
    this.#cpuTime = cpuTime;
  }

  /** The milliseconds for which code has computed in a process that has been silent for this long. */
  during(silentMs: number): number {
    if (silentMs < READ_FROM_MS) {
      this.#read = undefined;
      this.#nextMs = READ_FROM_MS;
      return silentMs;
    }
    void this.#readAt(silentMs);
    if (this.#isUnknown) return silentMs;
    const read = this.#read;
    const computedMs = read ? read.silentMs + read.latestMs - read.firstMs : READ_FROM_MS;
    return Math.min(silentMs, Math.max(computedMs, silentMs / MAX_SLOWDOWN));
  }

  async #readAt(silentMs: number): Promise<void> {
    if (this.#isReading || silentMs < this.#nextMs) return;
    this.#isReading = true;
    this.#nextMs = silentMs + READ_INTERVAL_MS;
    const cpuMs = await this.#cpuTime().catch(() => undefined);
    this.#isReading = false;
    this.#isUnknown = cpuMs === undefined;
    if (cpuMs === undefined) return;
    this.#read = { silentMs, firstMs: cpuMs, ...this.#read, latestMs: cpuMs };
  }
}
