import type { BuildOptions, Plugin } from "esbuild-wasm";

import { sha256Hex } from "#domain/hash.ts";
import type { Lockfile } from "#domain/lockfile.ts";
import { refusalOfPackage } from "#domain/unsupported-code.ts";
import { OWN_FILES } from "#sandbox/own-files.ts";
import type { Bundle } from "#sandbox/user-code.ts";

import { authoringKit } from "./authoring-kit.ts";
import { builtins } from "./builtins.ts";
import { CompilerFault } from "./compiler.ts";
import type { Bundled, BundleIssue, SourceFiles } from "./contract.ts";
import { compile, type Compiled, FILES_LIMIT_MS } from "./esbuild.ts";
import { QueueFull } from "./fair-queue.ts";
import type { BareImport } from "./import-plan.ts";
import { divided } from "./inert-packages.ts";
import { issueOf, messagesOf, pathOf } from "./issues.ts";
import { namesRespond } from "./names-respond.ts";
import { NODE_GLOBALS } from "./node-globals.ts";
import { linked, noted, refused } from "./package-imports.ts";
import { dependenciesOf, type Dependencies, type ResolverDeps } from "./package-resolver.ts";
import { Refusal } from "./refusal.ts";
import { SloppyFiles } from "./sloppy.ts";
import { opensSockets } from "./sockets.ts";
import { parseSpecifier } from "./specifiers.ts";
import { usedParts } from "./used-parts.ts";
import { userFiles } from "./user-files.ts";
import { versionRanges } from "./version-ranges.ts";

/** Part of every hash: raise it to change the bundle of the same code. */
const FORMAT = "7";

const NO_IMPORTS: ReadonlySet<string> = new Set();

const OPTIONS = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "esnext",
  sourcemap: "external",
  sourcesContent: false,
  outfile: "/component.js",
  charset: "utf8",
  logLevel: "silent",
  define: NODE_GLOBALS,
} satisfies BuildOptions;

/**
 * A lockfile that covers all imports of the files decides the versions. `isForDefinition`: whether only the definition
 * is read.
 */
export type BundleTerms = { lock?: Lockfile | undefined; isForDefinition?: boolean | undefined };

/**
 * Compile the files of a caller to ES modules: one for the files, with the component as default export, and those of
 * the imported packages. The same files with the same lockfile give the same bundle. For the definition alone, packages
 * are left out, except for some widely used ones.
 */
export async function bundle(
  files: SourceFiles,
  resolverDeps: ResolverDeps,
  { lock, isForDefinition = false }: BundleTerms = {},
): Promise<Bundled> {
  try {
    const imports: BareImport[] = [];
    const { client } = resolverDeps;
    const { compiled: scanned, ownFiles } = await compileFiles(files, noted(imports), { client });
    const [installed, inert] = isForDefinition
      ? divided(imports)
      : [withoutNative(imports), NO_IMPORTS];
    const dependencies = await dependenciesOf(installed, resolverDeps, {
      lock,
      listed: versionRanges(files),
      used: usedParts(
        [codeOf(scanned), ...Object.values(ownFiles)].join("\n"),
        installed.map(({ specifier }) => specifier),
      ),
    });
    const { compiled } = isComplete(scanned, imports)
      ? { compiled: scanned }
      : await compileFiles(files, linked(dependencies, inert), {
          client,
          modules: modulesIn(scanned),
        });
    return { ok: true, bundle: await bundleOf(compiled, ownFiles, dependencies) };
  } catch (error) {
    if (error instanceof QueueFull) return { ok: false, issues: [], overloaded: true };
    if (error instanceof Refusal) return await refusalOf(files, error, resolverDeps.client);
    return { ok: false, issues: issuesOf(error, files) };
  }
}

/** Refuse packages that are known to fail here, before they are installed. */
function withoutNative(imports: BareImport[]): BareImport[] {
  for (const { specifier } of imports) {
    const message = refusalOfPackage(parseSpecifier(specifier)?.name ?? "");
    if (message === undefined) continue;
    const refusal = new Refusal(message);
    refusal.specifier = specifier;
    throw refusal;
  }
  return imports;
}

/**
 * Whether a second build would give the same output: no packages, and no CommonJS, because the default import of
 * CommonJS depends on its importer.
 */
function isComplete({ metafile }: Compiled, imports: BareImport[]): boolean {
  return (
    imports.length === 0 && Object.values(metafile.inputs).every(({ format }) => format === "esm")
  );
}

/** The `.js` files that are written as ES modules. */
function modulesIn({ metafile }: Compiled): Set<string> {
  const inputs = Object.entries(metafile.inputs);
  const modules = inputs.filter(([path, { format }]) => path.endsWith(".js") && format === "esm");
  return new Set(modules.map(([path]) => pathOf(path)));
}

async function compileFiles(
  files: SourceFiles,
  packages: Plugin,
  { client, modules = new Set() }: { client: string; modules?: Set<string> },
): Promise<{ compiled: Compiled; ownFiles: Record<string, string> }> {
  const sloppy = new SloppyFiles(OWN_FILES, { keepsLines: true });
  const options: BuildOptions = {
    ...OPTIONS,
    entryPoints: ["entry:"],
    plugins: [
      builtins("./"),
      authoringKit,
      sloppy.plugin("./", `./${OWN_FILES}/`),
      userFiles(files, modules, sloppy),
      packages,
    ],
  };
  const compiled = await compile(options, { client, limitMs: FILES_LIMIT_MS });
  return { compiled, ownFiles: sloppy.modules() };
}

/** A refusal with the position of the import in the sent files. */
async function refusalOf(files: SourceFiles, refusal: Refusal, client: string): Promise<Bundled> {
  const upstream = refusal.upstream ? { upstream: true as const } : {};
  try {
    await compileFiles(files, refused(refusal), { client });
  } catch (error) {
    return { ok: false, issues: issuesOf(error, files), ...upstream };
  }
  const place = { file: files.entry, line: 1, column: 0 };
  return { ok: false, issues: [{ ...place, text: refusal.message }], ...upstream };
}

function issuesOf(error: unknown, { entry }: SourceFiles): BundleIssue[] {
  if (error instanceof CompilerFault)
    return [{ file: entry, line: 1, column: 0, text: error.message }];
  const messages = messagesOf(error);
  if (messages === undefined) throw error;
  return messages.map((message) => issueOf(message, entry));
}

function codeOf({ outputFiles }: Compiled): string {
  return outputFiles.find(({ path }) => path.endsWith(".js"))?.text ?? "";
}

async function bundleOf(
  { outputFiles }: Compiled,
  ownFiles: Record<string, string>,
  { hash, modules, lockfile, mayConnect: havePackages, parts = 0, characters }: Dependencies,
): Promise<Bundle> {
  const [map, code] = outputFiles.map(({ text }) => text);
  if (map === undefined || code === undefined) throw new Error("The compiler wrote no module");
  const texts = [code, ...Object.values(ownFiles)];
  const own = {
    code,
    map: withPlainPaths(map),
    lockfile,
    ...(Object.keys(ownFiles).length > 0 && { ownFiles }),
    // Of the code alone, not of its source files: the result is the same for the same code.
    mayConnect: havePackages || opensSockets(texts.join("\n")),
    namesRespond: texts.some((text) => namesRespond(text)),
    ...(characters !== undefined && { packageCharacters: characters }),
  };
  // Of all fields, so that no bundle is found by name with another one's metadata.
  const name = await sha256Hex(JSON.stringify([FORMAT, hash, own]));
  return { hash: name, ...own, dependencies: { hash, modules, ...(parts > 0 && { parts }) } };
}

/** The source map with the sources' original names. */
function withPlainPaths(map: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- esbuild writes valid source maps.
  const parsed = JSON.parse(map) as { sources: string[] };
  return JSON.stringify({ ...parsed, sources: parsed.sources.map((source) => pathOf(source)) });
}
