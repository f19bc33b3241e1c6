import type { PackageTree } from "./package-files.ts";

/** WebAssembly that packages import: modules of their own, since the runtime compiles none from bytes. */
export type WasmModules = {
  /** Take one in; the specifier that the modules of the set import it by. */
  add(path: string): Promise<string>;
  /** Base64 by name. */
  modules(): Record<string, string>;
};

/** Collect the WebAssembly that a set of packages comes to. Importing it gives a `WebAssembly.Module`. */
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
