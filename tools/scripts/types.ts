import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { absoluteAliases } from "./local/aliases.ts";
import { generate } from "./local/generated.ts";
import { ROOT } from "./local/settings.ts";

const OUTPUT = "worker-configuration.d.ts";
const CONFIGS = { platform: "wrangler.toml", bundler: "wrangler.bundler.toml" };

/** A copy of wrangler.toml without its environments: beside them, wrangler treats every binding as optional. */
const COPY = join(ROOT, ".wrangler/types.json");

await generate(
  {
    name: "types",
    // Variables of `.dev.vars` and `.env` become bindings, too.
    inputs: [
      ...Object.values(CONFIGS),
      "package-lock.json",
      "tools/scripts/types.ts",
      ".dev.vars",
      ".env",
    ],
    outputs: [OUTPUT],
  },
  writeTypes,
);

async function writeTypes(): Promise<void> {
  const { experimental_readRawConfig } = await import("wrangler");
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, CONFIGS.platform) });
  const { env: _, main = "", alias, ...rest } = rawConfig;
  await mkdir(join(ROOT, ".wrangler"), { recursive: true });
  const moved = { main: join("..", main), alias: absoluteAliases(alias) };
  await writeFile(COPY, JSON.stringify({ ...rest, ...moved }));
  await promisify(execFile)(
    process.execPath,
    [
      join(ROOT, "node_modules/wrangler/bin/wrangler.js"),
      "types",
      OUTPUT,
      "--config",
      COPY,
      // Names the class that the service binding calls.
      "--config",
      join(ROOT, CONFIGS.bundler),
      "--include-runtime=false",
      "--strict-vars=false",
    ],
    { cwd: ROOT },
  );
}
