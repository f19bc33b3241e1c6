import { targetOf } from "./dependency-set.ts";
import type { PlannedImport } from "./import-plan.ts";
import type { ImportKind } from "./node-resolution.ts";
import type { PackageTree } from "./package-files.ts";
import type { SetMemory } from "./set-memory.ts";
import { loaderOf } from "./user-files.ts";

/** Matches imports, also in comments: sufficient for counting. */
const IMPORT = /\b(require\(|import\(|from|import)\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')/g;

/**
 * Throw an `Uncompilable` if packages have clearly more code than can be compiled as a whole: trying would take the
 * compiler seconds. Only large packages are read.
 */
export async function refuseTooLarge(
  plannedImports: PlannedImport[],
  tree: PackageTree,
  memory: SetMemory,
): Promise<void> {
  const entries = new Set<string>();
  for (const plannedImport of plannedImports) entries.add(await targetOf(plannedImport, tree));
  if (!memory.mayBeTooLarge()) return;
  const seen = new Set(entries);
  for (const path of seen) for (const target of await importsOf(path, tree)) seen.add(target);
  memory.startCompiling();
}

async function importsOf(path: string, tree: PackageTree): Promise<string[]> {
  const bytes = await tree.read(path);
  if (loaderOf(path) === "json") return [];
  const found = [...new TextDecoder().decode(bytes).matchAll(IMPORT)];
  const targets = found.map(async ([, by, double = "", single = ""]) => {
    const kind: ImportKind = by === "require(" ? "require" : "import";
    const resolved = await tree.resolve(double + single, { importer: path, kind });
    return "path" in resolved && !/\.(?:node|wasm)$/.test(resolved.path) ? [resolved.path] : [];
  });
  return (await Promise.all(targets)).flat();
}
