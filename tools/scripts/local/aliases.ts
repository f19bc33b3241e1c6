import { resolve } from "node:path";

import { ROOT } from "./settings.ts";

/**
 * `[alias]` of a configuration in another folder, with absolute paths: wrangler resolves relative ones from the folder
 * of the configuration, or of the one that refers to it.
 */
export function absoluteAliases(alias: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(alias).map(([name, file]) => [name, resolve(ROOT, file)]),
  );
}
