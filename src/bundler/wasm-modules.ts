import type { PackageTree } from "./package-files.ts";

/** WebAssembly that packages import: separate modules, because the runtime compiles none from bytes. */
export type WasmModules = {
  /** Add a file. Returns the specifier by which modules of the set import it. */
  add(path: string): Promise<string>;
  /** Base64 by name. */
  modules(): Record<string, string>;
};

/** Collect the WebAssembly of a set of packages. Importing it gives a `WebAssembly.Module`. */
export function collectWasm(tree: PackageTree): WasmModules {
  const modules: Record<string, string> = {};
  return {
    async add(path) {
      const name = path.replace(/^node_modules\//, "").replaceAll(/[^\w.-]/g, "-");
      modules[`dependencies/${name}`] ??= new Uint8Array(await tree.read(path)).toBase64();
      return `./${name}`;
    },
    modules: () => modules,
  };
}
