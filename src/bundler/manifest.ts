import semver from "semver";
import { z } from "zod";

const Ranges = z.record(z.string(), z.string()).optional().catch(undefined);

/** The part of a published manifest that decides what is installed. */
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  dependencies: Ranges,
  optionalDependencies: Ranges,
  peerDependencies: Ranges,
  peerDependenciesMeta: z
    .record(z.string(), z.object({ optional: z.boolean().optional() }))
    .optional()
    .catch(undefined),
  bundleDependencies: z
    .union([z.boolean(), z.array(z.string())])
    .optional()
    .catch(undefined),
  os: z.union([z.string(), z.array(z.string())]).optional(),
  cpu: z.union([z.string(), z.array(z.string())]).optional(),
  dist: z.object({
    tarball: z.string(),
    integrity: z.string().optional(),
    shasum: z.string().optional(),
    unpackedSize: z.number().optional(),
  }),
});

export type Manifest = z.infer<typeof Manifest>;

/** All that a registry tells of a package. Versions are checked when one is picked: most never are. */
export type Packument = {
  name: string;
  "dist-tags": Record<string, string>;
  versions: Record<string, unknown>;
};

export const Packument = z.object({
  name: z.string(),
  "dist-tags": z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.unknown()),
});

/** The version that npm would install for a range or a dist-tag. */
export function pickVersion(packument: Packument, range: string): string | undefined {
  const tags = packument["dist-tags"];
  if (Object.hasOwn(tags, range)) return tags[range];
  const latest = tags["latest"];
  if (range === "*" && latest !== undefined) return latest;
  if (latest !== undefined && semver.satisfies(latest, range, true)) return latest;

  const versions = Object.keys(packument.versions);
  const kept = versions.filter((version) => !isDeprecated(packument.versions[version]));
  return (
    semver.maxSatisfying(kept, range, true) ??
    semver.maxSatisfying(versions, range, true) ??
    undefined
  );
}

function isDeprecated(manifest: unknown): boolean {
  return typeof manifest === "object" && manifest !== null && "deprecated" in manifest
    ? Boolean(manifest.deprecated)
    : false;
}

/** The manifest of one version; undefined where there is none that can be read. */
export function manifestOf(packument: Packument, version: string): Manifest | undefined {
  return Manifest.safeParse(packument.versions[version]).data;
}

/** Whether it is for another kind of machine: a Worker runs no machine code, so one named is one too many. */
export function isNative({ os, cpu }: Manifest): boolean {
  return [os, cpu]
    .flat()
    .some((wanted) => wanted !== undefined && !wanted.startsWith("!") && wanted !== "any");
}
