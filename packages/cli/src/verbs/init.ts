import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { type ComponentPackage, getComponentPackage } from "../component-package.ts";
import { Failure, misuse } from "../failure.ts";
import type { CommandOptions } from "../options.ts";
import { filesOf, type Kind, KINDS } from "../templates.ts";
import { json, line } from "../terminal/output.ts";
import { typescriptFilesOf } from "../typescript-templates.ts";

type InitOptions = CommandOptions & { typescript?: boolean };

/** Create a component with a test, or a workflow, in a folder. Existing files are not overwritten. */
export async function init(kind: string, folder: string, options: InitOptions): Promise<void> {
  if (!isKind(kind)) throw misuse(`${kind} cannot be created`, `name one of ${KINDS.join(", ")}`);
  const types = options.typescript ? await getTypesFor(kind) : undefined;
  const name = nameFor(folder);
  const written = await write(templateFor(kind, name, types), folder);
  if (options.json) return json({ written });
  for (const path of written) line(`wrote ${path}`);
  if (types) line(`types and tests: ${installFor(types, folder, written)}`);
  explain(kind, name, nextFor(kind, folder, types ? "component.ts" : "component.js"));
}

/** Say what to do next; a component of an app needs an account. */
function explain(kind: Kind, name: string, next: string): void {
  if (kind !== "app") return line(`next: ${next}`);
  line(`account: put {"base_url": "https://…", "api_key": "…"} into a file FILE, and run`);
  line(`  npx wellspring accounts connect ${name} --credentials FILE`);
  line(`next: ${next} --prop app=apn_…`);
}

/** Write files to a folder, if none is there already. Returns their paths. */
async function write(
  contents: Record<string, string | Uint8Array>,
  folder: string,
): Promise<string[]> {
  const files = Object.entries(contents);
  // An existing package.json of the folder is kept.
  const missing = files.filter(
    ([path]) => path !== "package.json" || !existsSync(join(folder, path)),
  );
  const [taken] = missing.find(([path]) => existsSync(join(folder, path))) ?? [];
  if (taken !== undefined)
    throw new Failure(`${join(folder, taken)} exists already`, { next: "name another folder" });
  await mkdir(folder, { recursive: true });
  for (const [path, content] of missing) await writeFile(join(folder, path), content);
  return missing.map(([path]) => join(folder, path));
}

async function getTypesFor(kind: Kind): Promise<ComponentPackage> {
  if (kind === "workflow")
    throw misuse("A workflow has no TypeScript version", "leave out --typescript");
  return getComponentPackage();
}

function templateFor(
  kind: Kind,
  name: string,
  types?: ComponentPackage,
): Record<string, string | Uint8Array> {
  if (!types || kind === "workflow") return filesOf(kind, name);
  return { ...typescriptFilesOf(kind, name, types.spec), ...types.files };
}

/** The command that installs the types and tests. A package.json that existed already does not refer to them. */
function installFor({ spec }: ComponentPackage, folder: string, written: string[]): string {
  const prefix = folder === "." ? "" : ` --prefix ${folder}`;
  if (written.includes(join(folder, "package.json"))) return `npm install${prefix}`;
  const path = resolve(folder, spec.replace(/^file:/, ""));
  return `npm install${prefix} --save-dev ${path}`;
}

function nextFor(kind: Kind, folder: string, file: string): string {
  if (kind === "workflow")
    return `npx wellspring workflows deploy ${join(folder, "workflow.json")}`;
  return `npx wellspring dev${folder === "." ? "" : ` ${join(folder, file)}`}`;
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
