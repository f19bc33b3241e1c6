import type { SourceFiles } from "./contract.ts";
import { parseDependency, type Dependency } from "./specifiers.ts";

/** In order of precedence. */
const KINDS = ["dependencies", "optionalDependencies", "peerDependencies", "devDependencies"];

/** The range that a repository's manifest has for a package; undefined if no manifest lists it. */
export type VersionRanges = (name: string, importer: string) => Dependency | undefined;

/**
 * The versions that a component's repository lists: the nearest `package.json` above a file that lists the package
 * decides. A dependency from elsewhere than a registry counts as not listed.
 */
export function versionRanges({ files }: Pick<SourceFiles, "files">): VersionRanges {
  const manifests = new Map<string, Record<string, Dependency>>();
  return (name, importer) => {
    for (const path of manifestsAbove(importer)) {
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      if (text === undefined) continue;
      const listed = manifests.get(path) ?? dependenciesIn(text);
      manifests.set(path, listed);
      if (Object.hasOwn(listed, name)) return listed[name];
    }
    return undefined;
  };
}

/** Paths of the manifests that may apply to a file, nearest first. */
export function manifestsAbove(path: string): string[] {
  const folders = path.split("/").slice(0, -1);
  return [...folders, ""].map((_, depth) =>
    [...folders.slice(0, folders.length - depth), "package.json"].join("/"),
  );
}

function dependenciesIn(text: string): Record<string, Dependency> {
  const manifest = parsed(text);
  const listed: Record<string, Dependency> = {};
  for (const kind of KINDS.toReversed()) {
    for (const [name, value] of Object.entries(manifest[kind] ?? {})) {
      const dependency = typeof value === "string" ? parseDependency(name, value) : undefined;
      if (dependency !== undefined) listed[name] = dependency;
    }
  }
  return listed;
}

function parsed(text: string): Record<string, object | null | undefined> {
  try {
    const manifest: unknown = JSON.parse(text);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only entries with text are read from it.
    return manifest instanceof Object ? (manifest as Record<string, object>) : {};
  } catch {
    return {};
  }
}
