import { footprintOf } from "../scripts/footprint.ts";

const INTERVAL_MS = 3000;

/** Measures a platform every few seconds. */
export class Sampler {
  readonly #measure: () => ReturnType<typeof footprintOf>;
  readonly #timer: NodeJS.Timeout;
  #samples: { memoryMb: number; descriptors: number; diskKb: number }[] = [];

  constructor(pid: number, stateDir: string) {
    this.#measure = () => footprintOf(pid, stateDir);
    this.#timer = setInterval(async () => this.#samples.push(await this.#measure()), INTERVAL_MS);
  }

  /**
   * The platform's usage since the last call: the median of its memory, which rises and falls with garbage, and the
   * minimum of descriptors and disk, because runs in progress add to them.
   */
  async minute() {
    const now = await this.#measure();
    const samples = [...this.#samples, now];
    this.#samples = [];
    const memory = samples.map(({ memoryMb }) => memoryMb).toSorted((a, b) => a - b);
    return {
      memoryMb: memory[Math.floor(memory.length / 2)] ?? now.memoryMb,
      descriptors: Math.min(...samples.map(({ descriptors }) => descriptors)),
      diskKb: Math.min(...samples.map(({ diskKb }) => diskKb)),
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
