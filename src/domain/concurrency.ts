/** Maximum concurrent connections of one invocation: the runtime allows six, and one is reserved for hidden ones. */
export const MAX_CONNECTIONS = 5;

/** Map items by an asynchronous function, at most `limit` of them at a time, into results in their order. */
export async function mapAtMost<T, R>(
  limit: number,
  items: readonly T[],
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = Array.from<R>({ length: items.length });
  const entries = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await map(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}

/** A semaphore for the callers of one request: at most `limit` work at once, the others wait in order. */
export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** A semaphore by bytes: work runs in order while its sizes sum to at most `limit`; a larger one runs alone. */
export function bytesAtMost(
  limit: number,
): <T>(bytes: number, work: () => Promise<T>) => Promise<T> {
  const waiting: { bytes: number; enter: () => void }[] = [];
  let free = limit;
  const admit = (): void => {
    for (let first = waiting[0]; first !== undefined && first.bytes <= free; first = waiting[0]) {
      waiting.shift();
      free -= first.bytes;
      first.enter();
    }
  };
  return async (wanted, work) => {
    const bytes = Math.min(wanted, limit);
    await new Promise<void>((enter) => {
      waiting.push({ bytes, enter });
      admit();
    });
    try {
      return await work();
    } finally {
      free += bytes;
      admit();
    }
  };
}
