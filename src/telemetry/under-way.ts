/** The work in progress of this isolate. Runs include steps of workflows and delivery attempts of webhooks. */
type Work = "requests" | "runs";

type Item = { work: Work; beganMs: number };

/** Longer than any of it may take. Tasks of a reset object never settle. */
const MAX_MS = 330_000;

const items = new Set<Item>();

let closed = false;

/** Do some work, counted until it settles. */
export async function during<T>(work: Work, action: () => T | Promise<T>): Promise<T> {
  const item = { work, beganMs: Date.now() };
  items.add(item);
  try {
    return await action();
  } finally {
    items.delete(item);
  }
}

/** The amounts of work in progress of this isolate, by kind. */
export function underWay(nowMs = Date.now()): Record<Work, number> {
  const counts = { requests: 0, runs: 0 };
  for (const item of items)
    if (nowMs - item.beganMs > MAX_MS) items.delete(item);
    else counts[item.work] += 1;
  return counts;
}

/** Begin no further runs in this isolate: its process is about to end, and the next one finds them on disk. */
export function closeRuns(): void {
  closed = true;
}

/** Whether runs may begin. */
export function mayBegin(): boolean {
  return !closed;
}
