import { replacing } from "./replacing.ts";

/**
 * The maximum time for which an isolate's place stays taken after its call, in milliseconds. On Cloudflare that is less
 * than the call takes: any number of calls one after the other, or in pairs, is safe there, and in threes is not.
 */
const LINGERS_MS = 20;

const REFUSAL =
  "Dynamic worker concurrency limit exceeded: each request may have up to 4 concurrent dynamic worker invocations.";

/** A loader for one request, which refuses calls of further isolates while as many are at work as on Cloudflare. */
export function strictLoader(loader: WorkerLoader, places = 4): WorkerLoader {
  // By isolate: the number of its calls, and until when its place stays taken without any.
  const calls = new Map<string, { count: number; untilMs: number }>();
  const called = async (id: string, call: () => unknown): Promise<unknown> => {
    const startedMs = performance.now();
    for (const [name, { count, untilMs }] of calls)
      if (count === 0 && untilMs <= startedMs) calls.delete(name);
    if (!calls.has(id) && calls.size >= places) throw new Error(REFUSAL);
    const place = calls.get(id) ?? { count: 0, untilMs: 0 };
    calls.set(id, place);
    place.count += 1;
    try {
      return await call();
    } finally {
      const nowMs = performance.now();
      place.count -= 1;
      place.untilMs = nowMs + Math.min(LINGERS_MS, nowMs - startedMs);
    }
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
