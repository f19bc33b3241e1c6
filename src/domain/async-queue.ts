/** Passes values that callbacks push to one reader, in order. Values pushed after its end are dropped. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #end: { error?: unknown } | undefined;
  #wake: () => void = () => {};

  push(item: T): void {
    if (this.#end) return;
    this.#items.push(item);
    this.#wake();
  }

  /** End the iteration after the values pushed so far. */
  close(): void {
    this.#end ??= {};
    this.#wake();
  }

  /** Let the iteration throw after the values pushed so far. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const items = this.#items;
      this.#items = [];
      for (const item of items) yield item;
      if (this.#items.length > 0) continue;
      if (this.#end && "error" in this.#end) throw this.#end.error;
      if (this.#end) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
