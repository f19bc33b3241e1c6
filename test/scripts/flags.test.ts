import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";
import { experimental_readRawConfig as readRawConfig } from "wrangler";

import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "#sandbox/compatibility.ts";

import { configOf, ENVIRONMENTS } from "../../tools/scripts/deploy/config.ts";
import { outboundConfig } from "../../tools/scripts/deploy/outbound.ts";
import { ROOT } from "../../tools/scripts/local/settings.ts";

type Flags = { compatibility_date?: string; compatibility_flags?: string[] };

/**
 * Start an empty Worker with these flags only. Local runs accept experimental ones, because their runtime starts with
 * `--experimental`; production rejects them, as workerd does here.
 */
async function start({ compatibility_date: date, compatibility_flags: flags }: Flags) {
  const file = join(await mkdtemp(join(tmpdir(), "flags-")), "config.capnp");
  const worker = `(
    modules = [(name = "worker", esModule = "export default { test() {} }")],
    compatibilityDate = ${JSON.stringify(date)},
    compatibilityFlags = ${JSON.stringify(flags)},
  )`;
  await writeFile(
    file,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = ${worker})]);`,
  );
  await promisify(execFile)(join(ROOT, "node_modules/.bin/workerd"), ["test", file]);
}

const rawConfig = (name: string): Flags => readRawConfig({ config: join(ROOT, name) }).rawConfig;

const shipped: [string, Flags][] = [
  ["the bundler", rawConfig("wrangler.bundler.toml")],
  [
    "components, in isolates and in scripts",
    { compatibility_date: COMPATIBILITY_DATE, compatibility_flags: COMPATIBILITY_FLAGS },
  ],
];
for (const environment of ENVIRONMENTS) {
  const config = await configOf(environment);
  shipped.push([`the platform in ${environment}`, config]);
  shipped.push([`the outbound Worker in ${environment}`, outboundConfig(config, "outbound")]);
}

test.for(shipped)("production accepts the flags of %s", async ([, flags]) => {
  expect(flags.compatibility_flags).toContain("nodejs_compat");
  await start(flags);
});

test.for(shipped.filter(([name]) => !name.startsWith("components")))(
  "requests of %s to the operator's own zone go through its front door",
  ([, flags]) => expect(flags.compatibility_flags).toContain("global_fetch_strictly_public"),
);

test.for([
  ["service_binding_extra_handlers", "is experimental"],
  ["no_such_flag", "No such compatibility flag"],
])("production refuses %s", async ([flag, reason]) => {
  const flags = { compatibility_date: COMPATIBILITY_DATE, compatibility_flags: [flag ?? ""] };
  await expect(start(flags)).rejects.toThrow(reason);
});
