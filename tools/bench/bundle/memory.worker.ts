import { bundle } from "#bundler/bundle.ts";

/** The memories of compilers not yet collected, recorded on creation. */
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

/** Called through the inspector, which does not count WebAssembly memory. */
Object.assign(globalThis, {
  compilerBytes: () =>
    memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0),
});

/** The result of a bundle. */
export type Made = { bytes: number; packages: number; refused: string };

/** Bundles the posted package. `GET` keeps it awake: an idle isolate ignores its debugger's commands. */
export default {
  async fetch(request, env) {
    if (request.method === "GET") return stayAwake();
    const registry = { url: env.NPM_REGISTRY_URL, token: undefined, allowPrivate: true };
    const files = { "component.mjs": await request.text() };
    const resolverDeps = { registry, store: env.CODE, client: "bench" };
    const bundled = await bundle({ entry: "component.mjs", files }, resolverDeps);
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
