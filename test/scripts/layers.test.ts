import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { LAYERS, ROOMS } from "../../scripts/layers/list.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const OXLINT = join(ROOT, "node_modules/.bin/oxlint");

/** The imports that the linter refuses, by room, when a file of each room imports from every other. */
async function refusals(importOf: (room: string) => string): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), "layers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await copyFile(join(ROOT, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  for (const room of ROOMS) {
    await mkdir(join(folder, "src", room), { recursive: true });
    const lines = ROOMS.map((other) => importOf(other));
    await writeFile(join(folder, "src", room, "probe.ts"), `${lines.join("\n")}\n`);
  }
  const args = ["--config", ".oxlintrc.json", "--format", "json", "src"];
  const { stdout } = await promisify(execFile)(OXLINT, args, {
    cwd: folder,
    maxBuffer: 2 ** 26,
  }).catch((failure: { stdout: string }) => failure);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  const refused = new Map(ROOMS.map((room): [string, string[]] => [room, []]));
  for (const { code, filename, labels } of diagnostics) {
    if (code !== "eslint(no-restricted-imports)") continue;
    const room = filename.slice("src/".length, -"/probe.ts".length);
    const other = ROOMS[(labels[0]?.span.line ?? 0) - 1];
    if (other !== undefined) refused.get(room)?.push(other);
  }
  return refused;
}

type Diagnostic = { code: string; filename: string; labels: { span: { line: number } }[] };

/** The rooms that one may not import: those above and beside it, and those that its layer rules out. */
function expected(room: string, isTypeOnly: boolean): string[] {
  const index = LAYERS.findIndex(({ rooms }) => rooms.includes(room));
  const { never = [], typesOf = [] } = LAYERS[index] ?? {};
  const above = new Set(LAYERS.slice(0, index + 1).flatMap((layer) => layer.rooms));
  const ruledOut = [...never, ...(isTypeOnly ? [] : typesOf)];
  const isRuledOut = (other: string) =>
    ruledOut.some((name) => other === name || other.startsWith(`${name}/`));
  return ROOMS.filter((other) => other !== room && (above.has(other) || isRuledOut(other)));
}

test.for([
  { what: "values", keyword: "import", isTypeOnly: false },
  { what: "types", keyword: "import type", isTypeOnly: true },
])("the linter refuses $what of every room above and beside, and no other", async (imports) => {
  const refused = await refusals(
    (room) => `${imports.keyword} { thing as t${ROOMS.indexOf(room)} } from "#${room}/file.ts";`,
  );
  for (const room of ROOMS)
    expect([room, refused.get(room)]).toEqual([room, expected(room, imports.isTypeOnly)]);
});

test("the linter refuses relative paths from one room into another", async () => {
  const refused = await refusals(
    (room) => `import { thing as t${ROOMS.indexOf(room)} } from "../../${room}/file.ts";`,
  );
  for (const room of ROOMS) expect([room, refused.get(room)]).toEqual([room, ROOMS]);
});
