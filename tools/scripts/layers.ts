import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { LAYERS, type Layer, FOLDERS } from "./layers/list.ts";

/**
 * Writes the import rules of `.oxlintrc.json` and the table of CONTRIBUTING.md from one list of layers.
 * `node tools/scripts/layers.ts`; with `--check` it fails if one of them differs from its output.
 */
const ROOT = resolve(import.meta.dirname, "../..");

const BEGIN = "<!-- layers: written by tools/scripts/layers.ts -->";
const END = "<!-- /layers -->";

type Rule = { files: string[]; excludeFiles?: string[]; rules: Record<string, unknown> };

/** The rule of one folder. */
function ruleOf(folder: string, layer: Layer): Rule {
  const { never = [], typesOf = [], except, because: message } = layer;
  const above = LAYERS.slice(0, LAYERS.indexOf(layer)).flatMap(({ folders }) => folders);
  const beside = layer.folders.filter((other) => other !== folder);
  const group = [...above, ...beside, ...never].map((name) => specifierOf(name));
  const patterns = [
    ...(group.length > 0 ? [{ group, message }] : []),
    ...(typesOf.length > 0
      ? [{ group: typesOf.map((name) => specifierOf(name)), allowTypeImports: true, message }]
      : []),
    {
      regex: RELATIVE_ESCAPE,
      message: "Other folders are imported by their alias, as #domain/ids.ts.",
    },
  ];
  return {
    files: [filesOf(folder)],
    ...(except && { excludeFiles: except }),
    rules: { "no-restricted-imports": ["error", { patterns }] },
  };
}

/** A relative path into another folder. */
const RELATIVE_ESCAPE = `^(?:\\.\\./)+(?:${[
  ...new Set(FOLDERS.flatMap((folder) => folder.split("/"))),
].join("|")})/`;

function filesOf(folder: string): string {
  if (folder === "") return "src/*.ts";
  return folder === "worker" ? "src/worker/*.ts" : `src/${folder}/**`;
}

/** The form of a folder, or a library, in an import. `worker` is its own files, not the folders in it. */
function specifierOf(name: string): string {
  if (name === "") return "../index.ts";
  if (name === "worker") return "#worker/*";
  return FOLDERS.some((folder) => folder === name || folder.startsWith(`${name}/`))
    ? `#${name}/**`
    : name;
}

function table(): string {
  const rows = LAYERS.map(({ folders, never = [], typesOf = [], because }) => {
    const libraries = never.filter((name) => !name.endsWith("/**"));
    const types = typesOf.length > 0 ? `; of ${code(typesOf)} types only` : "";
    return `| ${code(folders)} | ${code(libraries)}${types} | ${because} |`;
  });
  return ["| layer | never | why |", "| --- | --- | --- |", ...rows].join("\n");
}

function code(names: string[]): string {
  return names.map((name) => `\`${name || "src/*.ts"}\``).join(", ");
}

/** Both files as the list requires them, before they are formatted. */
async function written(): Promise<Map<string, string>> {
  const lint: { overrides: Rule[] } = JSON.parse(
    await readFile(join(ROOT, ".oxlintrc.json"), "utf8"),
  );
  const others = lint.overrides.filter(({ rules }) => !("no-restricted-imports" in rules));
  const own = LAYERS.flatMap((layer) => layer.folders.map((folder) => ruleOf(folder, layer)));
  const contributing = await readFile(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const [before = "", rest = ""] = contributing.split(BEGIN);
  const after = rest.slice(rest.indexOf(END) + END.length);
  return new Map([
    [".oxlintrc.json", `${JSON.stringify({ ...lint, overrides: [...others, ...own] })}\n`],
    ["CONTRIBUTING.md", `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`],
  ]);
}

/** Text without the spaces and dashes that the formatter sets. */
function bare(text: string): string {
  return text.replaceAll(/\s+|-{3,}/g, "");
}

for (const [name, text] of await written()) {
  if (!process.argv.includes("--check")) await writeFile(join(ROOT, name), text);
  else if (bare(await readFile(join(ROOT, name), "utf8")) !== bare(text)) {
    console.error(`${name} differs from tools/scripts/layers/list.ts: run npm run layers`);
    process.exitCode = 1;
  }
}
