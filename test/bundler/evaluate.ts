import { env } from "cloudflare:workers";

import { bundle } from "#bundler/bundle.ts";
import type { ResolverDeps } from "#bundler/package-resolver.ts";
import type { Lockfile } from "#domain/lockfile.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import { HARNESS } from "#sandbox/harness.ts";
import type { Bundle } from "#sandbox/user-code.ts";
import { modulesOf } from "#sandbox/worker-loader.ts";

/** Packages from the registry in npm's configuration. */
export const resolverDeps: ResolverDeps = {
  registry: { url: env.NPM_REGISTRY_URL, token: undefined, allowPrivate: true },
  store: env.CODE,
  client: "test",
};

const RUNNER = `
  import { WorkerEntrypoint } from "cloudflare:workers";
  import component from "./component.js";
  export default class extends WorkerEntrypoint {
    async run() {
      try {
        return { value: await component.run() };
      } catch (error) {
        return { stack: error.stack };
      }
    }
  }`;

/** The result of the bundled component's `run`, in an isolate like those of components. */
export async function evaluate(made: Bundle): Promise<{ value?: unknown; stack?: string }> {
  const { hash, parts = 0 } = made.dependencies;
  const modules = parts > 0 ? await openCodeStore(env.CODE).packages(hash) : undefined;
  const whole = modules ? { ...made, dependencies: { hash, modules } } : made;
  const worker = env.LOADER.get(crypto.randomUUID(), () => ({
    compatibilityDate: "2026-10-01",
    compatibilityFlags: ["nodejs_compat"],
    mainModule: "runner.js",
    modules: { ...HARNESS, "runner.js": RUNNER, ...modulesOf(whole) },
    globalOutbound: null,
  }));
  const runner = worker.getEntrypoint() as unknown as { run(): Promise<{ value?: unknown }> };
  return await runner.run();
}

/** The bundle of one file. */
export async function bundled(
  code: string,
  entry = "component.mjs",
  lock?: Lockfile,
): Promise<Bundle> {
  const made = await bundle({ entry, files: { [entry]: code } }, resolverDeps, { lock });
  if (!made.ok) throw new Error(made.issues.map(({ text }) => text).join("\n"));
  return made.bundle;
}

/** The return value of a file's `run`. */
export async function valueOf(code: string, entry = "component.mjs"): Promise<unknown> {
  const { value, stack } = await evaluate(await bundled(code, entry));
  if (stack !== undefined) throw new Error(stack);
  return value;
}
