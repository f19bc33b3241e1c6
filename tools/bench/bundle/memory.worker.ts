import { bundle } from "#bundler/bundle.ts";

/** The memories of compilers that were not collected yet: seen here when they are made. */
const memories: WeakRef<WebAssembly.Memory>[] = [];
const instantiate = WebAssembly.instantiate.bind(WebAssembly);
Object.assign(WebAssembly, {
  async instantiate(module: WebAssembly.Module, imports: WebAssembly.Imports) {
    const instance = await instantiate(module, imports);
    const memory = Object.values(instance.exports).find(
      (value) => value instanceof WebAssembly.Memory,
    );
    if (memory !== undefined) memories.push(new WeakRef(memory));
    return instance;
  },
});

/** Read through the inspector, which counts no WebAssembly memory by itself. */
Object.assign(globalThis, {
  compilerBytes: () =>
    memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0),
});

/** The result of a bundle. */
export type Made = { bytes: number; packages: number; refused: string };

/** Bundles what it is sent. `GET` keeps it awake: an isolate with nothing to do overlooks questions of its debugger. */
export default {
  async fetch(request, env) {
    if (request.method === "GET") return stayAwake();
    const registry = { url: env.NPM_REGISTRY_URL, token: undefined, allowPrivate: true };
    const files = { "component.mjs": await request.text() };
    const supply = { registry, store: env.CODE, client: "bench" };
    const bundled = await bundle({ entry: "component.mjs", files }, supply);
    const made: Made = {
      bytes: bundled.ok ? JSON.stringify(bundled.bundle.dependencies.modules).length : 0,
      packages: bundled.ok ? Object.keys(bundled.bundle.lockfile.packages).length : 0,
      refused: bundled.ok ? "" : bundled.issues.map(({ text }) => text).join("; "),
    };
    return Response.json(made);
  },
} satisfies ExportedHandler<{ NPM_REGISTRY_URL: string; CODE: R2Bucket }>;

async function stayAwake(): Promise<Response> {
  for (let turns = 0; turns < MAX_TURNS; turns += 1) await scheduler.wait(TURN_MS);
  return new Response();
}

const TURN_MS = 20;
const MAX_TURNS = 30_000;
