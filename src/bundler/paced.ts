/** How many items are taken before others may go on. */
const TURN = 500;

/**
 * Take items turn by turn: what decompresses from memory waits for nothing, and all Workers of a local runtime share one
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
