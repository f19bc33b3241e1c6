import { STAND_INS } from "../builtins.ts";
import { DataFiles } from "../data-files.ts";
import type { DependencySet, Entry } from "../dependency-set.ts";
import { keyOf, targetOf } from "../dependency-set.ts";
import type { PlannedImport } from "../import-plan.ts";
import type { PackageTree } from "../package-files.ts";
import { collectWasm } from "../wasm-modules.ts";
import { gather, WASM, type Gathered } from "./gather.ts";
import { PartWriter } from "./parts.ts";

type Means = {
  tree: PackageTree;
  client: string;
  put: (part: number, text: string) => Promise<void>;
};

/**
 * Compile a set of packages that is too large to be compiled as a whole: file by file, each a function, in parts that
 * `put` stores one by one. Throws a `Refusal` for imports that cannot be resolved and code that cannot be compiled.
 */
export async function gatherSet(
  plannedImports: PlannedImport[],
  { tree, client, put }: Means,
): Promise<DependencySet> {
  const targets: { plannedImport: PlannedImport; path: string }[] = [];
  for (const plannedImport of plannedImports)
    targets.push({ plannedImport, path: await targetOf(plannedImport, tree) });
  const paths = [...new Set(targets.map(({ path }) => path))];
  const wasm = collectWasm(tree);
  const data = new DataFiles(tree);
  const writer = new PartWriter(put);
  const gathered = await gather(paths, { tree, wasm, data, client }, (file) => writer.add(file));
  const { files, parts, characters } = await writer.end();
  const made = paths.map((path, index) => entryOf(path, index, gathered));
  const byPath = new Map(made.map(({ path, entry }) => [path, entry]));
  const entries = targets.flatMap(({ plannedImport, path }) => {
    const entry = byPath.get(path);
    return entry === undefined ? [] : [[keyOf(plannedImport), entry] as const];
  });
  const modules = {
    ...wasm.modules(),
    ...data.modules(),
    "dependencies/chunks.cjs": "module.exports = (index) => require(`./chunk-${index}.cjs`);",
    "dependencies/packages.js": opener(files, gathered.modules),
    ...Object.fromEntries(made.map(({ entry, code }) => [entry.module, code])),
  };
  const { mayConnect } = gathered;
  return { modules, entries: Object.fromEntries(entries), mayConnect, parts, characters };
}

/** The module through which the others load the files. */
function opener(files: Record<string, number>, modules: ReadonlySet<string>): string {
  const names = [...modules].toSorted();
  const imports = names.map((name, index) => importOf(name, index));
  const table = names.map((name, index) => `${JSON.stringify(name)}: m${index}`);
  return [
    'import { openPackages } from "../packages.worker.js";',
    'import chunk from "./chunks.cjs";',
    ...imports,
    `const modules = { ${table.join(", ")} };`,
    `export const load = openPackages({ files: ${JSON.stringify(files)}, chunk, modules });`,
  ].join("\n");
}

function importOf(name: string, index: number): string {
  if (name.startsWith(WASM))
    return `import m${index} from ${JSON.stringify(name.slice(WASM.length))};`;
  const standIn = STAND_INS[name];
  const from = standIn === undefined ? name : `../${standIn}`;
  return `import * as m${index} from ${JSON.stringify(from)};`;
}

function entryOf(
  path: string,
  index: number,
  { exportsOf }: Gathered,
): { path: string; entry: Entry; code: string } {
  const module = `dependencies/${index}.js`;
  const { format, names } = exportsOf(path);
  const loaded = `import { load } from "./packages.js";\nconst it = load(${JSON.stringify(path)});\n`;
  if (format === "cjs")
    return {
      path,
      entry: { module, format, names: ["default"] },
      code: `${loaded}export default it;`,
    };
  const exports = names.map((name, place) => {
    const text = JSON.stringify(name);
    return `const e${place} = it[${text}];\nexport { e${place} as ${text} };\n`;
  });
  return { path, entry: { module, format: "esm", names }, code: loaded + exports.join("") };
}
