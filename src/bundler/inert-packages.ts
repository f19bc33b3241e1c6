import type { PluginBuild } from "esbuild-wasm";

import { type BareImport, importKey } from "./import-plan.ts";
import { parseSpecifier } from "./specifiers.ts";

/** Packages with values that definitions contain, such as a timer's default. */
const SHARED: ReadonlySet<string> = new Set(["@pipedream/platform", "@pipedream/types"]);

const NAMESPACE = "inert-package";

/**
 * A stub that does nothing and replaces a package: every property, call and construction returns the stub again. It is
 * empty as a list, it can be extended, and awaiting it ends.
 */
const INERT = `
  const handler = {
    get: (target, key) => {
      if (key === "prototype") return target.prototype;
      if (key === "then" || key === "toJSON" || key === "__esModule") return undefined;
      if (key === Symbol.iterator) return function* () {};
      if (key === Symbol.toPrimitive) return () => "";
      return inert;
    },
    apply: () => inert,
    construct: () => inert,
  };
  const inert = new Proxy(function () {}, handler);
  module.exports = new Proxy(function () {}, { ...handler, getPrototypeOf: () => inert });`;

/** The target of an import of an inert package. */
export const inertPackage = { path: "package", namespace: NAMESPACE };

/** Serve the inert package. */
export function serveInert(build: PluginBuild): void {
  build.onLoad({ filter: /./, namespace: NAMESPACE }, () => ({ contents: INERT }));
}

/** The imports of packages that are real in every bundle, and the others, as `importKey` names them. */
export function divided(imports: BareImport[]): [shared: BareImport[], inert: Set<string>] {
  const { shared = [], inert = [] } = Object.groupBy(imports, ({ specifier }) =>
    SHARED.has(parseSpecifier(specifier)?.name ?? "") ? "shared" : "inert",
  );
  return [shared, new Set(inert.map((bare) => importKey(bare)))];
}
