/** Items in a turn, after which other work may run. */
const TURN = 500;

/**
 * Yield items in turns: decompression from memory waits for nothing, and all Workers of a local runtime share one
 * thread.
 */
export async function* paced<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    count += 1;
    if (count % TURN === 0) await scheduler.wait(1);
    yield item;
  }
}
