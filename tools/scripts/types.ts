import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { experimental_readRawConfig } from "wrangler";

import { absoluteAliases } from "./local/aliases.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A copy of wrangler.toml without its environments: beside them, wrangler takes every binding for an optional one. */
const CONFIG = join(ROOT, ".wrangler/types.json");

const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
const { env: _, main = "", alias, ...rest } = rawConfig;
mkdirSync(join(ROOT, ".wrangler"), { recursive: true });
const moved = { main: join("..", main), alias: absoluteAliases(alias) };
writeFileSync(CONFIG, JSON.stringify({ ...rest, ...moved }));
execFileSync(
  process.execPath,
  [
    join(ROOT, "node_modules/wrangler/bin/wrangler.js"),
    "types",
    "worker-configuration.d.ts",
    "--config",
    CONFIG,
    // Says which class the service binding to it calls.
    "--config",
    join(ROOT, "wrangler.bundler.toml"),
    "--include-runtime=false",
    "--strict-vars=false",
  ],
  { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] },
);
