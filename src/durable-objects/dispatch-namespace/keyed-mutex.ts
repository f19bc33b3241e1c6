/** Runs tasks with the same key one after the other, and at most `lanes` tasks at a time. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(lanes: number) {
    this.#free = lanes;
  }

  /** Run a task when earlier tasks with the same key have ended. */
  async take<T>(thing: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(thing);
    const turn = (async () => {
      await before;
      await this.#enter();
      try {
        return await work();
      } finally {
        this.#leave();
      }
    })();
    // A failed task blocks no other.
    const end = Promise.allSettled([turn]);
    this.#last.set(thing, end);
    try {
      return await turn;
    } finally {
      if (this.#last.get(thing) === end) this.#last.delete(thing);
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The longest waiting task gets the lane. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
