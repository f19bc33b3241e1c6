import { bundle } from "../../src/bundler/bundle.ts";

/** The compiler's memory is its own secret; it is seen here when it is made. */
const memories: WebAssembly.Memory[] = [];
const instantiate = WebAssembly.instantiate.bind(WebAssembly);
Object.assign(WebAssembly, {
  async instantiate(module: WebAssembly.Module, imports: WebAssembly.Imports) {
    const instance = await instantiate(module, imports);
    const memory = Object.values(instance.exports).find(
      (value) => value instanceof WebAssembly.Memory,
    );
    if (memory !== undefined) memories.push(memory);
    return instance;
  },
});

/** What a bundle took. */
export type Taken = { bytes: number; packages: number; refused: string; compilerBytes: number };

/** Bundles what it is sent and tells how large its compiler grew. */
export default {
  async fetch(request, env) {
    const registry = { url: env.NPM_REGISTRY_URL, token: undefined };
    const files = { "component.mjs": await request.text() };
    const made = await bundle({ entry: "component.mjs", files }, { registry, store: env.CODE });
    const taken: Taken = {
      bytes: made.ok ? JSON.stringify(made.bundle.dependencies.modules).length : 0,
      packages: made.ok ? Object.keys(made.bundle.lockfile.packages).length : 0,
      refused: made.ok ? "" : made.issues.map(({ text }) => text).join("; "),
      compilerBytes: memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0),
    };
    return Response.json(taken);
  },
} satisfies ExportedHandler<Pick<Env, "NPM_REGISTRY_URL" | "CODE">>;
