import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** The files that belong to a component, by their path from the folder, and the imports of missing files. */
export type OwnFiles = {
  files: Map<string, string>;
  missing: { importer: string; specifier: string }[];
  /** The ranges of packages that the nearest package.json states. */
  ranges: Record<string, string>;
};

const RELATIVE = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"'\n]+)["']/g;
const ENDINGS = ["", ".mjs", ".js", ".ts", ".cjs", ".json", "/index.mjs", "/index.js", "/index.ts"];

/** Read a component's entry and all its relative imports. */
export async function ownFiles(root: string, entry: string): Promise<OwnFiles> {
  const files = new Map<string, string>();
  const missing: OwnFiles["missing"] = [];
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    const text = await readFile(join(root, path), "utf8");
    files.set(path, text);
    for (const specifier of relativeImports(text)) {
      const found = await resolved(root, join(dirname(path), specifier));
      if (found === undefined) missing.push({ importer: path, specifier });
      else waiting.push(found);
    }
  }
  return { files, missing, ranges: await rangesFor(root, dirname(entry)) };
}

async function rangesFor(root: string, folder: string): Promise<Record<string, string>> {
  const text = await readFile(join(root, folder, "package.json"), "utf8").catch(() => undefined);
  if (text === undefined) return folder === "." ? {} : rangesFor(root, dirname(folder));
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(text);
  return dependencies;
}

/** The specifiers of a module that begin with a dot; comments do not count. */
function relativeImports(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\*).*$/gm, "");
  return [...code.matchAll(RELATIVE)].map(([, specifier = ""]) => specifier);
}

async function resolved(root: string, path: string): Promise<string | undefined> {
  // A `.js` import of TypeScript may mean the `.ts` file beside it.
  const paths = [...ENDINGS.map((ending) => path + ending), path.replace(/\.m?js$/, ".ts")];
  for (const one of paths) {
    const isFile = await stat(join(root, one)).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isFile) return relative(root, join(root, one)).replaceAll("\\", "/");
  }
  return undefined;
}
