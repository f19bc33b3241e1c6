/** The time for which an isolate's place stays taken after its call, in milliseconds. */
const LINGERS_MS = 20;

const REFUSAL =
  "Dynamic worker concurrency limit exceeded: each request may have up to 4 concurrent dynamic worker invocations.";

/** A loader for one request, which refuses calls of further isolates while as many are at work as on Cloudflare. */
export function strictLoader(loader: WorkerLoader, places = 4): WorkerLoader {
  const calls = new Map<string, number>();
  const called = async (id: string, call: () => unknown): Promise<unknown> => {
    if (!calls.has(id) && calls.size >= places) throw new Error(REFUSAL);
    calls.set(id, (calls.get(id) ?? 0) + 1);
    try {
      return await call();
    } finally {
      setTimeout(() => leave(id), LINGERS_MS);
    }
  };
  const leave = (id: string): void => {
    const left = (calls.get(id) ?? 1) - 1;
    if (left === 0) calls.delete(id);
    else calls.set(id, left);
  };
  const strict = (id: string, stub: WorkerStub): WorkerStub =>
    replacing(stub, {
      getEntrypoint: (...args: Parameters<WorkerStub["getEntrypoint"]>) => {
        const entrypoint = stub.getEntrypoint(...args);
        return new Proxy(entrypoint, {
          get: (target, name) => {
            const method: unknown = Reflect.get(target, name);
            if (typeof method !== "function") return method;
            return (...given: unknown[]) =>
              called(id, () => Reflect.apply(method, target, given) as unknown);
          },
        });
      },
    });
  return replacing(loader, {
    get: (name: string | null, code: Parameters<WorkerLoader["get"]>[1]) =>
      strict(name ?? crypto.randomUUID(), loader.get(name, code)),
    load: (code: WorkerLoaderWorkerCode) => strict(crypto.randomUUID(), loader.load(code)),
  });
}

/** A binding with some methods replaced. */
function replacing<T extends object>(binding: T, methods: Record<string, unknown>): T {
  return new Proxy(binding, {
    get: (target, name) => {
      if (typeof name === "string" && name in methods) return methods[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
