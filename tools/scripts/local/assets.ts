import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { errorMessage } from "#domain/errors.ts";

import { type AssetPart, isFresh } from "../assets/part.ts";
import { PARTS } from "../assets/parts.ts";
import { ROOT } from "./settings.ts";

type Notice = { event: `${AssetPart["name"]}_not_built`; message: string };

const NO_WARNING = "--disable-warning=ExperimentalWarning";

/**
 * Build the documentation and the console, unless they match their sources. Returns log events with the reason of a
 * failed build: nothing else depends on them.
 */
export async function ensureAssets(): Promise<Notice[]> {
  const notices: Notice[] = [];
  for (const part of PARTS) {
    const message = await ensurePart(part);
    if (message !== undefined) notices.push({ event: `${part.name}_not_built`, message });
  }
  return notices;
}

/** Returns the error of a failed build in one line. */

async function ensurePart(part: AssetPart): Promise<string | undefined> {
  if (await isFresh(part)) return undefined;
  try {
    // In a separate process, which frees the builder's memory on exit.
    const script = join(ROOT, "tools/scripts/build-assets.ts");
    const args = [NO_WARNING, script, part.name];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    return undefined;
  } catch (error) {
    const stderrText = String(Reflect.get(Object(error), "stderr") ?? "").trim();
    const [reason] = (stderrText || errorMessage(error)).split("\n");
    return `/${part.name} was not built (${part.command}): ${reason}`;
  }
}
