import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";

import { misuse } from "../failure.ts";

/** A component's files for a request: its file with all relative imports, by paths below their common folder. */
export type ComponentFiles = {
  /** The base folder of the paths. */
  root: string;
  entry: string;
  files: Record<string, string>;
};

const RELATIVE = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"'\n]+)["']/g;
const ENDINGS = [".mjs", ".js", ".cjs", ".ts", ".mts", ".cts", ".json"];
const TYPESCRIPT: Record<string, string> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" };

/**
 * Read a component's file and all files that it imports by relative paths, and the package.json files that apply to
 * them.
 */
export async function readComponent(path: string): Promise<ComponentFiles> {
  const entry = resolve(path);
  if (!(await isFile(entry)))
    throw misuse(`There is no file ${path}`, "name the file of a component, such as component.js");
  const texts = new Map<string, string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (texts.has(file)) continue;
    const text = await readFile(file, "utf8");
    texts.set(file, text);
    const folder = dirname(file);
    const found = await Promise.all(importsOf(text).map((one) => resolved(join(folder, one))));
    // The platform reports a missing one with its position.
    waiting.push(...found.filter((one) => one !== undefined));
  }
  const root = commonFolder([...texts.keys()]);
  const manifest = await manifestAbove(root);
  return { root, entry: below(root, entry), files: withManifest(root, texts, manifest) };
}

/** The specifiers of a module that begin with a dot; comment lines are ignored. */
export function importsOf(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\*).*$/gm, "");
  return [...code.matchAll(RELATIVE)].map(([, specifier = ""]) => specifier);
}

/** The file of an import, by the rules of the bundler. */
async function resolved(path: string): Promise<string | undefined> {
  const [, stem = path, extension = ""] = /^(.*?)(\.[cm]?js)?$/s.exec(path) ?? [];
  const source = TYPESCRIPT[extension];
  const candidates = [
    path,
    ...(source === undefined ? [] : [stem + source]),
    ...ENDINGS.map((ending) => path + ending),
    ...ENDINGS.map((ending) => join(path, `index${ending}`)),
  ];
  for (const candidate of candidates) if (await isFile(candidate)) return candidate;
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ?? false;
}

function commonFolder(files: readonly string[]): string {
  const [first = [], ...others] = files.map((file) => dirname(file).split(sep));
  const depth = first.findIndex((part, index) => others.some((other) => other[index] !== part));
  return (depth === -1 ? first : first.slice(0, depth)).join(sep) || sep;
}

function below(root: string, file: string): string {
  return relative(root, file).split(sep).join("/");
}

/** The nearest package.json, which determines the versions of packages. */
async function manifestAbove(folder: string): Promise<string | undefined> {
  const path = join(folder, "package.json");
  if (await isFile(path)) return readFile(path, "utf8");
  const parent = dirname(folder);
  return parent === folder ? undefined : manifestAbove(parent);
}

function withManifest(
  root: string,
  texts: ReadonlyMap<string, string>,
  manifest: string | undefined,
): Record<string, string> {
  const named = [...texts].map(([file, text]) => [below(root, file), text] as const);
  return {
    ...(manifest !== undefined && { "package.json": manifest }),
    ...Object.fromEntries(named),
  };
}
