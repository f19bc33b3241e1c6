import type { BuildOptions, Message, Metafile } from "esbuild-wasm";

import { NATIVE_ADD_ON } from "#domain/unsupported-code.ts";

import { builtins } from "./builtins.ts";
import { CompilerFault, CompilerTimeout } from "./compiler.ts";
import { DataFiles } from "./data-files.ts";
import { compile, PACKAGES_LIMIT_MS } from "./esbuild.ts";
import { unmarked } from "./esm-mark.ts";
import type { PlannedImport } from "./import-plan.ts";
import { messagesOf } from "./issues.ts";
import { NODE_GLOBALS } from "./node-globals.ts";
import type { PackageTree } from "./package-files.ts";
import { packageFiles, type UnparsedFiles } from "./packages-plugin.ts";
import { Refusal, Uncompilable } from "./refusal.ts";
import { SloppyFiles } from "./sloppy.ts";
import { SocketImports } from "./sockets.ts";
import { collectWasm } from "./wasm-modules.ts";

/** The target of an import: a module of the set, with its format and exported names. */
export type Entry = { module: string; format: "cjs" | "esm"; names: string[] };

/** Packages compiled to modules once, for every component with the same imports of them. */
export type DependencySet = {
  /** ES modules by name, and in base64 WebAssembly, whose names end in `.wasm`, and data. */
  modules: Record<string, string>;
  /** By `kind:request`. */
  entries: Record<string, Entry>;
  /** Whether the packages may open TCP connections. */
  mayConnect: boolean;
  /**
   * If the set is too large for one object of the store: the number of further objects, and the size of the code in
   * them.
   */
  parts?: number;
  characters?: number;
};

const OPTIONS = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "esnext",
  outdir: "/",
  chunkNames: "dependencies/[name]-[hash]",
  charset: "utf8",
  legalComments: "none",
  // Names stay: code reads `constructor.name`.
  minifyWhitespace: true,
  logLevel: "silent",
  define: NODE_GLOBALS,
} satisfies BuildOptions;

/** Compile the imported packages to modules, on behalf of a client. */
export async function buildSet(
  plannedImports: PlannedImport[],
  tree: PackageTree,
  client: string,
): Promise<DependencySet> {
  const targets = await Promise.all(
    plannedImports.map(async (plannedImport) => ({
      plannedImport,
      path: await targetOf(plannedImport, tree),
    })),
  );
  const paths = [...new Set(targets.map(({ path }) => path))];
  const { modules, metafile, mayConnect } = await compiled(paths, tree, client);
  const byPath = new Map(paths.map((path, index) => [path, entryOf(metafile, index)]));
  const entries = targets.flatMap(({ plannedImport, path }) => {
    const entry = byPath.get(path);
    return entry === undefined ? [] : [[keyOf(plannedImport), entry] as const];
  });
  return { modules, entries: Object.fromEntries(entries), mayConnect };
}

/** The importer of a component's packages: its files, as the packages see them. */
export const COMPONENT = "component.js";

/** The name of an import in a set. */
export function keyOf({ kind, request }: Pick<PlannedImport, "kind" | "request">): string {
  return `${kind}:${request}`;
}

/** The file that an import leads to. Throws a `Refusal` if no file can run. */
export async function targetOf(
  { specifier, request, kind }: PlannedImport,
  tree: PackageTree,
): Promise<string> {
  const resolved = await tree.resolve(request, { importer: COMPONENT, kind });
  if ("path" in resolved && !resolved.path.endsWith(".node")) return resolved.path;
  const refusal = new Refusal(
    "failure" in resolved
      ? `"${specifier}" cannot be resolved: ${resolved.failure}`
      : `"${specifier}" ${NATIVE_ADD_ON}`,
  );
  refusal.specifier = specifier;
  throw refusal;
}

type CompiledSet = Pick<DependencySet, "modules" | "mayConnect"> & { metafile: Metafile };

/** Packages have files that nothing runs here, in dialects that no engine parses: one fails only when it is loaded. */
async function compiled(
  paths: string[],
  tree: PackageTree,
  client: string,
  unparsed: UnparsedFiles = new Map(),
): Promise<CompiledSet> {
  try {
    return await compiledWithout(unparsed, { paths, tree, client });
  } catch (error) {
    const more = unparsedIn(messagesOf(error) ?? [], paths);
    if (more.length > 0)
      return await compiled(paths, tree, client, new Map([...unparsed, ...more]));
    throw failureOf(error);
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof CompilerTimeout) return new Uncompilable(error.message, { cause: error });
  if (error instanceof CompilerFault) return new Refusal(error.message, { cause: error });
  return refusalIn(error) ?? error;
}

/** The files of packages that do not parse, with their errors; none if there is any other error. */
function unparsedIn(messages: Message[], entries: string[]): [path: string, error: string][] {
  const unparsed = messages.flatMap((message): [string, string][] => {
    const path = unmarked(message.location?.file.replace(/^npm:/, "") ?? "");
    const isOther = message.pluginName !== "" || NOT_OF_A_PARSER.test(message.text);
    return isOther || path === "" || entries.includes(path) ? [] : [[path, textOf(message)]];
  });
  return unparsed.length === messages.length ? unparsed : [];
}

/** Matches errors of names that no module exports, and of sloppy code. */
const NOT_OF_A_PARSER = /^No matching export|"esm" output format/;

async function compiledWithout(
  unparsed: UnparsedFiles,
  { paths, tree, client }: { paths: string[]; tree: PackageTree; client: string },
): Promise<CompiledSet> {
  const wasm = collectWasm(tree);
  const data = new DataFiles(tree);
  const sockets = new SocketImports();
  const sloppy = new SloppyFiles("dependencies");
  const installed = { tree, wasmModules: wasm, data, sloppy };
  const options: BuildOptions = {
    ...OPTIONS,
    splitting: paths.length > 1,
    entryPoints: paths.map((path, index) => ({ in: path, out: `dependencies/${index}` })),
    plugins: [
      builtins("../", sockets),
      sloppy.plugin("../", "./"),
      packageFiles(installed, unparsed),
    ],
  };
  const terms = { client, limitMs: PACKAGES_LIMIT_MS };
  const { outputFiles, metafile } = await compile(options, terms);
  const named = outputFiles.map(({ path, text }) => [path.replace(/^\//, ""), text]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- pairs of a path and its text.
  const scripts = Object.fromEntries(named) as Record<string, string>;
  const decoder = new TextDecoder();
  const mayConnect = await sockets.mayConnect(metafile, async (path) =>
    decoder.decode(await tree.read(path)),
  );
  const inputs = new Set(
    Object.values(metafile.outputs).flatMap(({ inputs: all }) => Object.keys(all)),
  );
  const files = sloppy.modules((path) => inputs.has(`npm:${path}`));
  const modules = { ...scripts, ...files, ...wasm.modules(), ...data.modules() };
  return { modules, metafile, mayConnect };
}

/** The reason why packages do not build; undefined for any other error. */
function refusalIn(error: unknown): Refusal | undefined {
  const messages = messagesOf(error) ?? [];
  const thrown: unknown = messages.find(({ detail }) => detail instanceof Refusal)?.detail;
  if (thrown instanceof Refusal) return thrown;
  // Sloppy code: an octal number, `with`, or the deletion of a variable.
  const sloppy = messages.find(({ text }) => text.includes('"esm" output format'));
  if (sloppy !== undefined) return new Uncompilable(textOf(sloppy), { cause: error });
  const [message] = messages;
  return message && new Refusal(textOf(message), { cause: error });
}

function textOf({ text, location }: Message): string {
  const place = location && `${location.file}:${location.line}:${location.column}: `;
  return unmarked(`${place ?? ""}${text}`).replaceAll("npm:node_modules/", "");
}

function entryOf({ outputs, inputs }: Metafile, index: number): Entry {
  const module = `dependencies/${index}.js`;
  const { exports: names = [], entryPoint = "" } = outputs[module] ?? {};
  const isCommonJs = inputs[entryPoint]?.format === "cjs";
  return { module, format: isCommonJs ? "cjs" : "esm", names };
}
