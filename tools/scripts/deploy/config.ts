import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";

import { absoluteAliases } from "../local/aliases.ts";
import { ROOT } from "../local/settings.ts";

export const ENVIRONMENTS = ["production", "staging"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The folder of files generated for deployments, all of them disposable. */
export const GENERATED = join(ROOT, ".wrangler/deploy");

/** The part of wrangler.toml that a deployment reads; the rest passes through unchanged. */
export type Config = {
  name: string;
  main: string;
  alias?: Record<string, string>;
  assets?: { directory: string; binding: string; run_worker_first: boolean | string[] };
  compatibility_date?: string;
  compatibility_flags?: string[];
  vars: Record<string, string>;
  d1_databases: {
    binding: string;
    database_name: string;
    database_id: string;
    migrations_dir: string;
  }[];
  r2_buckets: { binding: string; bucket_name: string }[];
  queues: {
    producers: { binding: string; queue: string }[];
    consumers: { queue: string; dead_letter_queue?: string }[];
  };
  dispatch_namespaces?: {
    binding: string;
    namespace: string;
    outbound?: { service: string; parameters: string[] };
  }[];
  workflows?: { binding: string; name: string }[];
  analytics_engine_datasets?: { binding: string; dataset?: string }[];
  worker_loaders?: { binding: string }[];
  limits?: { cpu_ms?: number; subrequests?: number };
  observability?: object;
  services?: { binding: string; service: string; entrypoint?: string }[];
  routes?: object[];
  workers_dev?: boolean;
  preview_urls?: boolean;
};

/** A value for each Worker of a deployment that has secrets. */
export type Workers<T> = { platform: T; bundler: T };

/** The platform's binding to its bundler Worker. */
export const BUNDLER = "BUNDLER";

/**
 * The configuration of an environment: the top level of wrangler.toml, overridden by its `[env.…]`. Resources with
 * names unique in the account, not the Worker, get a suffix: `…-staging`.
 */
export async function configOf(
  environment: Environment,
  file = join(ROOT, "wrangler.toml"),
): Promise<Config> {
  // Takes most of a second to load, and only a deployment needs it.
  const { experimental_readRawConfig: read } = await import("wrangler");
  const { rawConfig } = read({ config: file });
  const { env, ...top } = rawConfig;
  const own = env?.[environment] ?? {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- wrangler.toml is ours; the tests read it so.
  const merged = { ...top, ...own, vars: { ...top.vars, ...own.vars } } as Config;
  const named = withOwnBundler(merged);
  return environment === "production" ? named : renamed(named, `-${environment}`);
}

/** Two deployments with different names on one account must not share a bundler, which is named after its platform. */
function withOwnBundler(config: Config): Config {
  const services = (config.services ?? []).map((each) =>
    each.binding === BUNDLER ? { ...each, service: `${config.name}-bundler` } : each,
  );
  return { ...config, services };
}

function renamed(config: Config, suffix: string): Config {
  const own = (name: string): string => `${name}${suffix}`;
  return {
    ...config,
    name: own(config.name),
    d1_databases: config.d1_databases.map((each) => ({
      ...each,
      database_name: own(each.database_name),
    })),
    r2_buckets: config.r2_buckets.map((each) => ({ ...each, bucket_name: own(each.bucket_name) })),
    queues: {
      producers: config.queues.producers.map((each) => ({ ...each, queue: own(each.queue) })),
      consumers: config.queues.consumers.map(({ dead_letter_queue: dead, ...each }) => ({
        ...each,
        queue: own(each.queue),
        ...(dead !== undefined && { dead_letter_queue: own(dead) }),
      })),
    },
    ...renamedIfAny(config, own),
  };
}

function renamedIfAny(config: Config, own: (name: string) => string): Partial<Config> {
  const { dispatch_namespaces, workflows, analytics_engine_datasets, services } = config;
  return {
    ...(dispatch_namespaces && {
      dispatch_namespaces: dispatch_namespaces.map((each) => ({
        ...each,
        namespace: own(each.namespace),
        ...(each.outbound && {
          outbound: { ...each.outbound, service: own(each.outbound.service) },
        }),
      })),
    }),
    ...(workflows && { workflows: workflows.map((each) => ({ ...each, name: own(each.name) })) }),
    ...(analytics_engine_datasets && {
      analytics_engine_datasets: analytics_engine_datasets.map((each) => ({
        ...each,
        dataset: own(each.dataset ?? each.binding).replaceAll("-", "_"),
      })),
    }),
    ...(services && {
      services: services.map((each) => ({ ...each, service: own(each.service) })),
    }),
  };
}

/** Write a configuration where wrangler can read it, and return its path. */
export async function writeConfig(
  folder: string,
  name: string,
  config: Partial<Config>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  const alias = absoluteAliases(config.alias);
  const moved = { ...seenFrom(relative(folder, ROOT), config), alias };
  await writeFile(file, `${JSON.stringify(moved, null, 2)}\n`);
  return file;
}

/** Make a plain `wrangler deploy` in this repository use a written configuration. */
export async function writeRedirect(folder: string, name: string): Promise<void> {
  const redirect = { configPath: `./${name}.json` };
  await writeFile(join(folder, "config.json"), `${JSON.stringify(redirect)}\n`);
}

/** Read a configuration that `writeConfig` wrote; its paths are relative to the project again. */
export async function readConfig(file: string): Promise<Config> {
  const config: Config = JSON.parse(await readFile(file, "utf8"));
  return { ...config, ...seenFrom(relative(ROOT, dirname(file)), config) };
}

/** A configuration with paths relative to another folder; `way` leads from there to the current base. */
function seenFrom(way: string, config: Partial<Config>) {
  return {
    ...config,
    main: join(way, config.main ?? ""),
    ...(config.assets && {
      assets: { ...config.assets, directory: seenAt(config.assets.directory, way) },
    }),
    d1_databases: (config.d1_databases ?? []).map((each) => ({
      ...each,
      migrations_dir: join(way, each.migrations_dir),
    })),
  };
}

function seenAt(path: string, way: string): string {
  return isAbsolute(path) ? path : join(way, path);
}
