import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { errorMessage } from "#domain/errors.ts";

import { isFresh } from "../site/freshness.ts";
import { ROOT } from "./settings.ts";

const NO_WARNING = "--disable-warning=ExperimentalWarning";

/**
 * Have the documentation site built, unless it is there as its sources are. Returns in one line why it was not, where the
 * build failed: nothing else depends on it.
 */
export async function ensureSite(): Promise<string | undefined> {
  if (await isFresh()) return undefined;
  try {
    // By a process of its own, which takes the memory of the builder with it.
    const script = join(ROOT, "tools/scripts/site.ts");
    await promisify(execFile)(process.execPath, [NO_WARNING, script], { cwd: ROOT });
    return undefined;
  } catch (error) {
    const said = String(Reflect.get(Object(error), "stderr") ?? "").trim();
    const [reason] = (said || errorMessage(error)).split("\n");
    return `The documentation was not built, so /docs lacks it (npm run build:docs): ${reason}`;
  }
}
