import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ApiError } from "./api.ts";
import type { Upload } from "./upload.ts";

/** The CPU limit for evaluating a Worker's global scope. */
const MAX_STARTUP_MS = 1000;

/** An empty script. */
export const NOTHING = {
  main: "nothing.js",
  modules: [
    {
      type: "ESModule" as const,
      path: "nothing.js",
      contents: new TextEncoder().encode("export default { fetch() {} };"),
    },
  ],
};

type Script = Pick<Upload, "main" | "modules" | "compatibilityDate" | "compatibilityFlags">;

/** Scripts that were started already: a deployment uploads the same ones repeatedly. */
const started = new Map<string, Promise<void>>();

/**
 * Start a script alone on a runtime without experimental features, as Cloudflare does before it accepts one, and reject
 * it for its flags or for the cost of its start.
 */
export function checkStartup(script: Script): Promise<void> {
  const hash = createHash("sha256").update(
    JSON.stringify([script.compatibilityDate, script.compatibilityFlags]),
  );
  for (const { path, contents } of script.modules) hash.update(`${path}\0`).update(contents);
  const name = hash.digest("hex");
  const known = started.get(name) ?? startAlone(script);
  started.set(name, known);
  return known;
}

async function startAlone(script: Script): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "startup-"));
  try {
    const config = join(folder, "config.capnp");
    await writeFile(config, await configOf(script, folder));
    const { failure, cpuMs } = await run(config);
    const flag = FLAG_REFUSED.exec(failure);
    if (flag?.[2] === undefined && flag) throw refusal(`No such compatibility flag: ${flag[1]}`);
    if (flag)
      throw refusal(
        `The compatibility flag ${flag[2]} is experimental and cannot yet be used in Workers deployed to Cloudflare.`,
      );
    if (failure !== "") throw refusal(failure.slice(-1000));
    if (cpuMs > MAX_STARTUP_MS) throw refusal("Script startup exceeded CPU time limit.");
  } finally {
    await rm(folder, { recursive: true });
  }
}

const FLAG_REFUSED =
  /No such compatibility flag: (\S+)|The compatibility flag (\S+) is experimental/;

function refusal(message: string): ApiError {
  return new ApiError(400, 10_021, message);
}

/** The script, and a test that passes once everything has started. */
async function configOf(script: Script, folder: string): Promise<string> {
  const { modules, compatibilityDate, compatibilityFlags } = script;
  const entries = [];
  for (const [index, { type, path, contents }] of modules.entries()) {
    const kind = { ESModule: "esModule", Text: "text", CompiledWasm: "wasm" }[type];
    await writeFile(join(folder, String(index)), contents);
    entries.push(`(name = ${JSON.stringify(path)}, ${kind} = embed "${index}")`);
  }
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "script", worker = (
    modules = [${entries.join(", ")}],
    compatibilityDate = ${JSON.stringify(compatibilityDate)},
    compatibilityFlags = ${JSON.stringify(compatibilityFlags)},
  )),
  (name = "test", worker = (
    modules = [(name = "test", esModule = "export default { test() {} }")],
    compatibilityDate = ${JSON.stringify(compatibilityDate)},
  )),
]);`;
}

/** The result of a start, and its CPU time on all threads. */
function run(config: string): Promise<{ failure: string; cpuMs: number }> {
  const { default: workerd } = createRequire(import.meta.url)("workerd") as { default: string };
  const timed = `TIMEFORMAT="cpu %U %S"; time "$@"`;
  return new Promise((resolve) => {
    execFile("bash", ["-c", timed, "bash", workerd, "test", config], (error, _, stderr) => {
      const [, user = "0", system = "0"] = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? [];
      const cpuMs = (Number(user) + Number(system)) * 1000;
      resolve({ failure: error ? stderr.replace(/cpu [\d. ]+\s*$/, "") : "", cpuMs });
    });
  });
}
