import type { OnResolveArgs, Plugin, PluginBuild } from "esbuild-wasm";

import { keyOf, type DependencySet, type Entry } from "./dependency-set.ts";
import { unmarked } from "./esm-mark.ts";
import { type BareImport, importKey, type PlannedImport } from "./import-plan.ts";
import { inertPackage, serveInert } from "./inert-packages.ts";
import type { ImportKind } from "./node-resolution.ts";
import type { Refusal } from "./refusal.ts";
import { parseSpecifier } from "./specifiers.ts";

/** Note the imports of packages, and leave them as they are. */
export function noted(imports: BareImport[]): Plugin {
  return onPackages(({ path: specifier, importer, kind }) => {
    if (parseSpecifier(specifier) === undefined) {
      return {
        errors: [
          { text: `"${specifier}", which "${importer}" imports, is not the name of a package` },
        ],
      };
    }
    imports.push({ specifier, importer: unmarked(importer), kind: kindOf(kind) });
    return { path: specifier, external: true };
  });
}

/** Let the compiler report a refusal at the position of its import. */
export function refused({ specifier, message }: Refusal): Plugin {
  return onPackages(({ path }) =>
    specifier === undefined || path === specifier
      ? { errors: [{ text: message }] }
      : { path, external: true },
  );
}

/**
 * Resolve imports to the modules of a set. Packages in CommonJS export one value there; a CommonJS module around it
 * gives the compiler the meaning of the import again. Imports of `inert` packages resolve to the stub.
 */
export function linked(
  { entries, plannedImports }: Pick<DependencySet, "entries"> & { plannedImports: PlannedImport[] },
  inert: ReadonlySet<string> = new Set(),
): Plugin {
  const byImport = new Map(
    plannedImports.map((plannedImport) => [importKey(plannedImport), keyOf(plannedImport)]),
  );
  const plugin = onPackages(({ path: specifier, kind, importer }) => {
    const bare = { specifier, importer: unmarked(importer), kind: kindOf(kind) };
    if (inert.has(importKey(bare))) return inertPackage;
    const key = byImport.get(importKey(bare)) ?? "";
    const suffix = bare.kind === "import" && isTypeScript(bare.importer) ? TYPESCRIPT : "";
    return { path: key, suffix, namespace: "package", sideEffects: true };
  });
  return {
    ...plugin,
    async setup(build) {
      build.onResolve({ filter: /^\.\/dependencies\// }, ({ path }) => ({ path, external: true }));
      build.onResolve({ filter: /^bridge:/ }, ({ path }) => ({
        path: path.slice("bridge:".length),
        namespace: "package-bridge",
      }));
      await plugin.setup(build);
      serveInert(build);
      serve(build, (key) => entries[key]);
    },
  };
}

/** Distinct from the same package as others import it. */
const TYPESCRIPT = "?ts";

function isTypeScript(importer: string): boolean {
  return /\.[cm]?ts$/.test(importer);
}

/**
 * TypeScript uses the default export of an ES module that was compiled to CommonJS, and Node all of the exports.
 * Without a default export both use all of them: without the mark, the compiler does so too.
 */
const UNLESS_DEFAULT = `
  if (module.exports?.__esModule && !("default" in module.exports)) {
    const { __esModule, ...descriptors } = Object.getOwnPropertyDescriptors(module.exports);
    module.exports = Object.create(Object.getPrototypeOf(module.exports), descriptors);
  }`;

function serve(build: PluginBuild, entryOf: (path: string) => Entry | undefined): void {
  build.onLoad({ filter: /./, namespace: "package" }, ({ path, suffix }) => {
    const entry = entryOf(path);
    if (entry === undefined) throw new Error(`${path} was not built`);
    if (entry.format === "esm") return { contents: reexported(entry) };
    const whole = `module.exports = require(${JSON.stringify(`bridge:${path}`)}).default;`;
    return { contents: suffix === TYPESCRIPT ? whole + UNLESS_DEFAULT : whole };
  });
  build.onLoad({ filter: /./, namespace: "package-bridge" }, ({ path }) => {
    const module = entryOf(path)?.module ?? "";
    return { contents: `export { default } from ${JSON.stringify(`./${module}`)};` };
  });
}

function reexported({ module, names }: Entry): string {
  const from = JSON.stringify(`./${module}`);
  if (names.length === 0) return `import ${from}; export {};`;
  return `export { ${names.map((name) => JSON.stringify(name)).join(", ")} } from ${from};`;
}

function onPackages(
  resolve: (args: OnResolveArgs) => ReturnType<Parameters<PluginBuild["onResolve"]>[1]>,
): Plugin {
  return {
    name: "package-imports",
    setup(build) {
      build.onResolve({ filter: /^[^.:/#][^:]*$/ }, (args) => resolve(args));
      build.onResolve({ filter: /./ }, ({ path, importer }) => ({
        errors: [{ text: `"${path}", which "${importer}" imports, cannot be found` }],
      }));
    },
  };
}

function kindOf(kind: OnResolveArgs["kind"]): ImportKind {
  return kind === "require-call" || kind === "require-resolve" ? "require" : "import";
}
