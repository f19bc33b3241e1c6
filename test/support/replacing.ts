/** A binding with some methods replaced. */
export function replacing<T extends object>(binding: T, methods: Record<string, unknown>): T {
  return new Proxy(binding, {
    get: (target, name) => {
      if (typeof name === "string" && name in methods) return methods[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
