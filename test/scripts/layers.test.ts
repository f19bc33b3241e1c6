import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { LAYERS, FOLDERS } from "../../tools/scripts/layers/list.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const OXLINT = join(ROOT, "node_modules/.bin/oxlint");

/** The imports that the linter rejects, by folder, if a file of each folder imports from every other. */
async function refusals(importOf: (folder: string) => string): Promise<Map<string, string[]>> {
  const root = await mkdtemp(join(tmpdir(), "layers-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await cp(join(ROOT, "tools/lint"), join(root, "tools/lint"), { recursive: true });
  await copyFile(join(ROOT, ".oxlintrc.json"), join(root, ".oxlintrc.json"));
  for (const folder of FOLDERS) {
    await mkdir(join(root, "src", folder), { recursive: true });
    const lines = FOLDERS.map((other) => importOf(other));
    await writeFile(join(root, "src", folder, "probe.ts"), `${lines.join("\n")}\n`);
  }
  const args = ["--config", ".oxlintrc.json", "--format", "json", "src"];
  const { stdout } = await promisify(execFile)(OXLINT, args, {
    cwd: root,
    maxBuffer: 2 ** 26,
  }).catch((failure: { stdout: string }) => failure);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  const refused = new Map(FOLDERS.map((folder): [string, string[]] => [folder, []]));
  for (const { code, filename, labels } of diagnostics) {
    if (code !== "eslint(no-restricted-imports)") continue;
    const folder = filename.slice("src/".length, -"/probe.ts".length);
    const other = FOLDERS[(labels[0]?.span.line ?? 0) - 1];
    if (other !== undefined) refused.get(folder)?.push(other);
  }
  return refused;
}

type Diagnostic = { code: string; filename: string; labels: { span: { line: number } }[] };

/** The folders that a folder may not import: those above and beside it, and those that its layer excludes. */
function expected(folder: string, isTypeOnly: boolean): string[] {
  const index = LAYERS.findIndex(({ folders }) => folders.includes(folder));
  const { never = [], typesOf = [] } = LAYERS[index] ?? {};
  const above = new Set(LAYERS.slice(0, index + 1).flatMap((layer) => layer.folders));
  const ruledOut = [...never, ...(isTypeOnly ? [] : typesOf)];
  const isRuledOut = (other: string) =>
    ruledOut.some((name) => other === name || other.startsWith(`${name}/`));
  return FOLDERS.filter((other) => other !== folder && (above.has(other) || isRuledOut(other)));
}

test.for([
  { what: "values", keyword: "import", isTypeOnly: false },
  { what: "types", keyword: "import type", isTypeOnly: true },
])("the linter rejects $what of every folder above and beside, and no other", async (imports) => {
  const refused = await refusals(
    (folder) =>
      `${imports.keyword} { thing as t${FOLDERS.indexOf(folder)} } from "#${folder}/file.ts";`,
  );
  for (const folder of FOLDERS)
    expect([folder, refused.get(folder)]).toEqual([folder, expected(folder, imports.isTypeOnly)]);
});

test("the linter rejects relative paths from one folder into another", async () => {
  const refused = await refusals(
    (folder) => `import { thing as t${FOLDERS.indexOf(folder)} } from "../../${folder}/file.ts";`,
  );
  for (const folder of FOLDERS) expect([folder, refused.get(folder)]).toEqual([folder, FOLDERS]);
});
