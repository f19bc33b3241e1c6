/**
 * Create a value once in this process and return it to every caller of the same name. Vitest evaluates its
 * configuration several times, and each project's global setup separately.
 */
export function once<T>(name: string, make: () => T): T {
  const key = `wellspring-tests:${name}`;
  if (!Reflect.has(globalThis, key)) Reflect.set(globalThis, key, make());
  return Reflect.get(globalThis, key);
}
