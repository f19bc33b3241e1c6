import { resolve } from "node:path";

import { ROOT } from "./settings.ts";

/**
 * `[alias]` of a configuration that lies elsewhere, with whole paths: wrangler reads relative ones from where the
 * configuration lies, or from where the one lies that leads to it.
 */
export function absoluteAliases(alias: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(alias).map(([name, file]) => [name, resolve(ROOT, file)]),
  );
}
