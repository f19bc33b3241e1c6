import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { build } from "esbuild-wasm";

import type { Failure, Judgement } from "./evidence.ts";
import type { OwnFiles } from "./own-files.ts";

const run = promisify(execFile);

/** The number of requests to a registry until it states whether it has a package. */
const ATTEMPTS = 3;

const ABSENT =
  /There is no (?:package|version) (?:"([^"]*)" of the package )?"([^"]+)"|There is no "([^"]+)" any more/;

/**
 * Query the registry for a package that the platform did not find, and run another compiler on code that it rejected.
 * Undefined if both accept, so that the platform is at fault.
 */
export async function blameFor(
  { message }: Failure,
  { root, entry, own }: { root: string; entry: string; own: OwnFiles },
): Promise<Judgement | undefined> {
  const absent = await absentPackage(message);
  if (absent) return { blame: "package", because: `npm has no ${absent} either` };
  const [gone] = own.missing;
  if (gone && message.includes(gone.specifier))
    return {
      blame: "code",
      because: `${gone.importer} imports ${gone.specifier}, which does not exist`,
    };
  const objection = await objectionTo(root, entry);
  if (objection === undefined) return undefined;
  return { blame: "code", because: `esbuild rejects it too: ${objection}` };
}

/** The package that an error message names, if the registry does not have it. */
async function absentPackage(message: string): Promise<string | undefined> {
  const wanted = packageIn(message);
  if (wanted === undefined) return undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      const { stdout } = await run("npm", ["view", wanted, "version", "--json"]);
      return stdout.trim() === "" ? wanted : undefined;
    } catch (error) {
      if (outputOf(error).includes("E404")) return wanted;
    }
  }
  return undefined;
}

/** The output of a failed command: a silent npm writes its error there alone. */
function outputOf(error: unknown): string {
  const stdout = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
  return `${String(error)}\n${stdout}`;
}

function packageIn(message: string): string | undefined {
  const [, range, name, exact] = ABSENT.exec(message) ?? [];
  return exact ?? (name !== undefined && range !== undefined ? `${name}@${range}` : name);
}

/** The error in a component's own files, without its packages. */
async function objectionTo(root: string, entry: string): Promise<string | undefined> {
  try {
    await build({
      entryPoints: [join(root, entry)],
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      write: false,
      logLevel: "silent",
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[1] ?? error.message) : String(error);
  }
}
