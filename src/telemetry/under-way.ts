/** Requests are answered, runs include steps of workflows and attempts of webhooks. */
type Work = "requests" | "runs";

const counts: Record<Work, number> = { requests: 0, runs: 0 };

let closed = false;

/** Do some work, counted until it settles. */
export async function during<T>(work: Work, action: () => T | Promise<T>): Promise<T> {
  counts[work] += 1;
  try {
    return await action();
  } finally {
    counts[work] -= 1;
  }
}

/** How much of each this isolate is at. */
export function underWay(): Record<Work, number> {
  return { ...counts };
}

/** Have no more runs begin in this isolate: its process is about to end, and the next one finds them on disk. */
export function closeRuns(): void {
  closed = true;
}

/** Whether runs may begin. */
export function mayBegin(): boolean {
  return !closed;
}
