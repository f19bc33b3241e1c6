import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { experimental_readRawConfig as readRawConfig } from "wrangler";

import { absoluteAliases } from "./aliases.ts";
import { CONFIGS } from "./build.ts";
import { BUNDLER_VARIABLES } from "./serve.ts";
import { ROOT, type Settings } from "./settings.ts";

/** The configurations that `wrangler dev` reads, and the ids of their databases by binding. */
export type DevConfigs = { files: string[]; databases: Record<string, string> };

/**
 * Write the configuration files of `wrangler dev` into a folder of the state: one for each Worker, and beside each, its
 * settings, readable by this user alone. Variables on the command line would reach one of them only.
 */
export async function writeDevConfigs({ stateDir, variables }: Settings): Promise<DevConfigs> {
  const bundling = Object.entries(variables).filter(([name]) => BUNDLER_VARIABLES.has(name));
  const files = [
    await writeConfig(join(stateDir, "dev/platform"), CONFIGS.platform, variables),
    await writeConfig(join(stateDir, "dev/bundler"), CONFIGS.bundler, Object.fromEntries(bundling)),
  ];
  const { d1_databases: all = [] } = rawConfig(CONFIGS.platform);
  const ids = all.map((each: { binding: string; database_id?: string }) => [
    each.binding,
    each.database_id ?? "",
  ]);
  return { files, databases: Object.fromEntries(ids) };
}

/** Warnings about settings that `wrangler dev` does not support. */
export function warningsOf(variables: Settings["variables"]): string[] {
  if (variables["ALLOW_PRIVATE_TARGETS"] === "true") return [];
  return [
    "ALLOW_PRIVATE_TARGETS=false blocks private addresses in URLs only: under wrangler dev, components reach names that resolve to private addresses. Run untrusted code with npm start.",
  ];
}

async function writeConfig(
  folder: string,
  config: string,
  variables: Record<string, string>,
): Promise<string> {
  const { main = "", alias, assets, ...rest } = rawConfig(config);
  const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"\n`);
  const file = join(folder, "wrangler.json");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, ".dev.vars"), lines.join(""), { mode: 0o600 });
  const way = relative(folder, ROOT);
  const moved = {
    main: join(way, main),
    alias: absoluteAliases(alias),
    ...(assets && { assets: { ...assets, directory: join(way, assets.directory ?? "") } }),
  };
  await writeFile(file, JSON.stringify({ ...rest, ...moved }));
  return file;
}

/** A configuration without its environments, which are for deployments. */
function rawConfig(name: string) {
  const { env: _, ...config } = readRawConfig({ config: join(ROOT, name) }).rawConfig;
  return config;
}
