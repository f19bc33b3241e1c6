import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";

import { misuse } from "../failure.ts";

const NAMES = ["component.ts", "component.js", "component.mjs"];

/** The default component of this folder: `main` of package.json, component.ts, or the only file of code. */
export async function componentHere(): Promise<string> {
  const main = await mainHere();
  if (main !== undefined) return main;
  const names = await readdir(".");
  const usual = NAMES.find((name) => names.includes(name));
  if (usual !== undefined) return usual;
  const code = names.filter((name) => isCode(name));
  const [only, ...others] = code;
  if (only !== undefined && others.length === 0) return only;
  const next =
    only === undefined
      ? "`wellspring init` makes one"
      : `name one of ${code.slice(0, 5).join(", ")}`;
  throw misuse("This folder has no component, or several", next);
}

async function mainHere(): Promise<string | undefined> {
  const text = await readFile("package.json", "utf8").catch(() => "{}");
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
