import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { Failure, misuse } from "../failure.ts";
import type { CommandOptions } from "../options.ts";
import { filesOf, type Kind, KINDS } from "../templates.ts";
import { json, line } from "../terminal/output.ts";

/** Make a component with a test, or a workflow, in a folder. Nothing that is there is overwritten. */
export async function init(kind: string, folder: string, options: CommandOptions): Promise<void> {
  if (!isKind(kind)) throw misuse(`${kind} cannot be made`, `name one of ${KINDS.join(", ")}`);
  const files = Object.entries(filesOf(kind, nameFor(folder)));
  // A folder may have a package.json already: it is left as it is.
  const missing = files.filter(
    ([path]) => path !== "package.json" || !existsSync(join(folder, path)),
  );
  const [taken] = missing.find(([path]) => existsSync(join(folder, path))) ?? [];
  if (taken !== undefined)
    throw new Failure(`${join(folder, taken)} is there already`, { next: "name another folder" });
  await mkdir(folder, { recursive: true });
  for (const [path, text] of missing) await writeFile(join(folder, path), text);
  const written = missing.map(([path]) => join(folder, path));
  if (options.json) return json({ written });
  for (const path of written) line(`wrote ${path}`);
  line(`next: ${nextFor(kind, folder)}`);
}

function nextFor(kind: Kind, folder: string): string {
  if (kind === "workflow") return `wellspring workflows deploy ${join(folder, "workflow.json")}`;
  return `wellspring dev${folder === "." ? "" : ` ${join(folder, "component.js")}`}`;
}

/** The folder's name, as a key may be written. */
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
