/**
 * Copy a result of another object or of a Worker, and release it: while a result is held, the runtime keeps both ends
 * of its call open, and neither object can leave memory.
 */
export async function copied<T>(call: PromiseLike<T>): Promise<T> {
  const result = await call;
  if (typeof result !== "object" || result === null) return result;
  const copy = structuredClone(result);
  const dispose: unknown = Reflect.get(result, Symbol.dispose);
  if (typeof dispose === "function") Reflect.apply(dispose, result, []);
  return copy;
}
