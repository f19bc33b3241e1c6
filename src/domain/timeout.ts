/**
 * Wait for a promise for at most `ms` milliseconds. Resolves to its value, or after a timeout to the result of `late`.
 * Rejects as the promise does, or with the error of `late`. The work behind the promise is not stopped.
 */
export async function withTimeout<T, L>(
  promise: Promise<T>,
  ms: number,
  late: () => L,
): Promise<T | L> {
  const passed = Promise.withResolvers<L>();
  const timer = setTimeout(() => {
    try {
      passed.resolve(late());
    } catch (error) {
      passed.reject(error);
    }
  }, ms);
  try {
    return await Promise.race([promise, passed.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A signal that aborts after `ms` milliseconds unless it is cleared. The timer of `AbortSignal.timeout` cannot be
 * cleared, and would keep an object in memory.
 */
export function abortAfter(ms: number): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
