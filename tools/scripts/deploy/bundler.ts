import { join } from "node:path";

import { ROOT } from "../local/settings.ts";
import { BUNDLER, type Config, writeConfig } from "./config.ts";
import { registryOf } from "./registry.ts";
import { putWorker, type Running } from "./release.ts";
import type { Secrets } from "./secrets.ts";
import type { Tools } from "./tools.ts";

/**
 * The configuration of a platform's bundler Worker: wrangler.bundler.toml with that platform's names and settings.
 * `registry` replaces the configured npm registry.
 */
export async function bundlerConfig(
  platform: Config,
  registry: string | undefined,
): Promise<Config> {
  // Takes most of a second to load, and only a deployment needs it.
  const { experimental_readRawConfig: read } = await import("wrangler");
  const { rawConfig } = read({ config: join(ROOT, "wrangler.bundler.toml") });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- wrangler.bundler.toml is ours.
  const own = rawConfig as Pick<Config, "name" | "main" | "vars" | "r2_buckets">;
  const vars = Object.fromEntries(
    Object.entries(own.vars).map(([name, value]) => [name, platform.vars[name] || value]),
  );
  const { services = [], r2_buckets: buckets, observability } = platform;
  return {
    ...own,
    name: services.find(({ binding }) => binding === BUNDLER)?.service ?? own.name,
    vars: { ...vars, NPM_REGISTRY_URL: await registryOf(registry || vars["NPM_REGISTRY_URL"]) },
    d1_databases: [],
    r2_buckets: own.r2_buckets.map(
      (bucket) => buckets.find(({ binding }) => binding === bucket.binding) ?? bucket,
    ),
    queues: { producers: [], consumers: [] },
    ...(observability && { observability }),
  };
}

/** `isRunning`: the platform runs this release, which includes an uploaded bundler. */
type Upload = { config: Config; running: Running; missing: Secrets; isRunning: boolean };

/**
 * Upload the bundler Worker, unless this release of it runs already. It comes before the platform: Cloudflare rejects
 * a binding to a Worker that does not exist.
 */
export async function uploadBundler(
  { config, running, missing, isRunning }: Upload,
  tools: Tools,
): Promise<void> {
  const names = Object.keys(missing);
  if (running.exists && isRunning && names.length === 0) {
    tools.report.note("up to date", `Worker ${config.name}, which bundles components`);
    return;
  }
  const secrets = names.length > 0 ? `, with ${names.join(", ")}` : "";
  const what = `Worker ${config.name}, which bundles components${secrets}`;
  await tools.report.change("upload", what, async () => {
    const file = await writeConfig(tools.folder, config.name, config);
    await putWorker({ name: config.name, file, secrets: missing }, tools);
  });
}
