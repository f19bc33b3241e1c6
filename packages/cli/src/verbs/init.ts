import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { Failure, misuse } from "../failure.ts";
import type { CommandOptions } from "../options.ts";
import { filesOf, type Kind, KINDS } from "../templates.ts";
import { json, line } from "../terminal/output.ts";
import { typescriptFilesOf } from "../typescript-templates.ts";

type InitOptions = CommandOptions & { typescript?: boolean };

/** Create a component with a test, or a workflow, in a folder. Existing files are not overwritten. */
export async function init(kind: string, folder: string, options: InitOptions): Promise<void> {
  if (!isKind(kind)) throw misuse(`${kind} cannot be created`, `name one of ${KINDS.join(", ")}`);
  const isTyped = options.typescript ?? false;
  const written = await write(templateFor(kind, nameFor(folder), isTyped), folder);
  if (options.json) return json({ written });
  for (const path of written) line(`wrote ${path}`);
  if (isTyped) line(`types and tests: npm install${folder === "." ? "" : ` --prefix ${folder}`}`);
  line(`next: ${nextFor(kind, folder, isTyped ? "component.ts" : "component.js")}`);
}

/** Write files to a folder, if none is there already. Returns their paths. */
async function write(texts: Record<string, string>, folder: string): Promise<string[]> {
  const files = Object.entries(texts);
  // An existing package.json of the folder is kept.
  const missing = files.filter(
    ([path]) => path !== "package.json" || !existsSync(join(folder, path)),
  );
  const [taken] = missing.find(([path]) => existsSync(join(folder, path))) ?? [];
  if (taken !== undefined)
    throw new Failure(`${join(folder, taken)} exists already`, { next: "name another folder" });
  await mkdir(folder, { recursive: true });
  for (const [path, text] of missing) await writeFile(join(folder, path), text);
  return missing.map(([path]) => join(folder, path));
}

function templateFor(kind: Kind, name: string, isTyped: boolean): Record<string, string> {
  if (!isTyped) return filesOf(kind, name);
  if (kind !== "workflow") return typescriptFilesOf(kind, name);
  throw misuse("A workflow has no TypeScript version", "leave out --typescript");
}

function nextFor(kind: Kind, folder: string, file: string): string {
  if (kind === "workflow") return `wellspring workflows deploy ${join(folder, "workflow.json")}`;
  return `wellspring dev${folder === "." ? "" : ` ${join(folder, file)}`}`;
}

/** The folder's name in the format of a key. */
function nameFor(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return name || "component";
}

function isKind(kind: string): kind is Kind {
  return KINDS.some((one) => one === kind);
}
