import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";

import { misuse } from "../failure.ts";

const NAMES = ["component.ts", "component.js", "component.mjs"];

/** The file of a component at a path: in a folder `main` of package.json, component.ts, or the only file of code. */
export async function componentAt(path: string): Promise<string> {
  const entry = await stat(path).catch(() => undefined);
  if (!entry?.isDirectory()) return path;
  const names = await readdir(path);
  const usual = (await mainIn(path)) ?? NAMES.find((name) => names.includes(name));
  if (usual !== undefined) return join(path, usual);
  return onlyOf(
    names.filter((name) => isCode(name)).map((name) => join(path, name)),
    path === "." ? "This folder" : path,
  );
}

function onlyOf(code: readonly string[], folder: string): string {
  const [only, ...others] = code;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw misuse(`${folder} has no component`, "`wellspring init` makes one");
  throw misuse(`${folder} has several components`, `name one of ${code.slice(0, 5).join(", ")}`);
}

async function mainIn(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  try {
    const { main }: { main?: unknown } = JSON.parse(text);
    return typeof main === "string" && isCode(main) ? main : undefined;
  } catch {
    return undefined;
  }
}

function isCode(name: string): boolean {
  const isTest = /\.(?:test|config|d)\.[cm]?[jt]s$/.test(name);
  return /^\.[cm]?[jt]s$/.test(extname(name)) && !isTest;
}
