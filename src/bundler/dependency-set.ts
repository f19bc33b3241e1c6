import type { BuildOptions, Message, Metafile } from "esbuild-wasm";

import { NATIVE_ADD_ON } from "#domain/unsupported-code.ts";

import { builtins } from "./builtins.ts";
import { CompilerFault, CompilerTimeout } from "./compiler.ts";
import { compile, PACKAGES_LIMIT_MS } from "./esbuild.ts";
import { unmarked } from "./esm-mark.ts";
import type { PlannedImport } from "./import-plan.ts";
import { messagesOf } from "./issues.ts";
import { NODE_GLOBALS } from "./node-globals.ts";
import type { PackageTree } from "./package-files.ts";
import { packageFiles } from "./packages-plugin.ts";
import { Refusal, Uncompilable } from "./refusal.ts";
import { SocketImports } from "./sockets.ts";
import { collectWasm } from "./wasm-modules.ts";

/** The target of an import: a module of the set, with its format and exported names. */
export type Entry = { module: string; format: "cjs" | "esm"; names: string[] };

/** Packages compiled to modules once, for every component with the same imports of them. */
export type DependencySet = {
  /** ES modules by name, and WebAssembly, in base64, if the name ends in `.wasm`. */
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

async function compiled(
  paths: string[],
  tree: PackageTree,
  client: string,
): Promise<Pick<DependencySet, "modules" | "mayConnect"> & { metafile: Metafile }> {
  const wasm = collectWasm(tree);
  const sockets = new SocketImports();
  try {
    const options: BuildOptions = {
      ...OPTIONS,
      splitting: paths.length > 1,
      entryPoints: paths.map((path, index) => ({ in: path, out: `dependencies/${index}` })),
      plugins: [builtins("../", sockets), packageFiles(tree, wasm)],
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
    return { modules: { ...scripts, ...wasm.modules() }, metafile, mayConnect };
  } catch (error) {
    if (error instanceof CompilerTimeout) throw new Uncompilable(error.message, { cause: error });
    if (error instanceof CompilerFault) throw new Refusal(error.message, { cause: error });
    throw refusalIn(error) ?? error;
  }
}

/** The reason why packages do not build; undefined for any other error. */
function refusalIn(error: unknown): Refusal | undefined {
  const messages = messagesOf(error) ?? [];
  const thrown: unknown = messages.find(({ detail }) => detail instanceof Refusal)?.detail;
  if (thrown instanceof Refusal) return thrown;
  const [message] = messages;
  if (message === undefined) return undefined;
  // Sloppy code: an octal number, `with`, or the deletion of a variable.
  const Kind = message.text.includes('"esm" output format') ? Uncompilable : Refusal;
  return new Kind(textOf(message), { cause: error });
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
