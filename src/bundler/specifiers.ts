/** The package, range and path of a bare specifier. Without a range, the latest version. */
export type PackageRequest = {
  name: string;
  /** A version, a range or a dist-tag. */
  range: string | undefined;
  /** `""`, or the path inside the package: `/sub/path`. */
  subpath: string;
};

const BARE = /^(?<name>(?:@[^/@\s]+\/)?[^@/\s][^/@\s]*)(?:@(?<range>[^/]+))?(?<subpath>\/.*)?$/;
const NAME = /^(?:@[a-z0-9~_-][a-z0-9._~-]*\/)?[a-z0-9~_-][a-z0-9._~-]*$/i;

/** Parse `@scope/name@range/sub/path`; undefined if it names no package. */
export function parseSpecifier(specifier: string): PackageRequest | undefined {
  const groups = BARE.exec(specifier)?.groups;
  const name = groups?.["name"];
  if (name === undefined || !NAME.test(name)) return undefined;
  return { name, range: groups?.["range"], subpath: groups?.["subpath"] ?? "" };
}

/** The request to the registry for a dependency of a package's manifest. */
export type Dependency = { name: string; range: string };

/** Undefined if the dependency is not from the registry: git, a URL, a path. */
export function parseDependency(name: string, value: string): Dependency | undefined {
  const [, alias, aliasRange = "*"] = /^npm:((?:@[^/]+\/)?[^@]+)(?:@(.*))?$/.exec(value) ?? [];
  if (alias !== undefined) return { name: alias, range: aliasRange };
  if (/[/:]/.test(value)) return undefined;
  return { name, range: value.trim() === "" ? "*" : value };
}
