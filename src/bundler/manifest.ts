import semver from "semver";
import { z } from "zod";

const Ranges = z.record(z.string(), z.string()).optional().catch(undefined);

/** The part of a published manifest that decides about the installation. */
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

/** A packument of a registry. A version is validated when it is picked: most never are. */
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

/** The Node version of the runtime: npm prefers versions that declare support for it. */
const NODE_VERSION = "22.19.0";

/** The version that npm would install for a range or a dist-tag. */
export function pickVersion(packument: Packument, range: string): string | undefined {
  const tags = packument["dist-tags"];
  if (Object.hasOwn(tags, range)) return tags[range];
  const latest = tags["latest"];
  if (latest !== undefined && matches(latest, range) && isPreferred(packument, latest))
    return latest;

  const versions = Object.keys(packument.versions).filter((version) => matches(version, range));
  return versions.toSorted(
    (a, b) => rank(packument, b) - rank(packument, a) || semver.rcompare(a, b, true),
  )[0];
}

function matches(version: string, range: string): boolean {
  return semver.valid(version, true) !== null && semver.satisfies(version, range, true);
}

function isPreferred(packument: Packument, version: string): boolean {
  return rank(packument, version) === 3;
}

function rank({ versions }: Packument, version: string): number {
  const { deprecated, engines } = Hints.parse(versions[version]);
  const node = engines?.node;
  const runs =
    node === undefined || semver.satisfies(NODE_VERSION, node, { includePrerelease: true });
  return (runs ? 2 : 0) + (deprecated ? 0 : 1);
}

/** Properties by which versions are ranked. */
const Hints = z
  .object({
    deprecated: z.union([z.string(), z.boolean()]).optional().catch(undefined),
    engines: z.object({ node: z.string().optional() }).optional().catch(undefined),
  })
  .catch({});

/** The manifest of one version; undefined if there is no valid one. */
export function manifestOf(packument: Packument, version: string): Manifest | undefined {
  return Manifest.safeParse(packument.versions[version]).data;
}

/** Whether a package is for certain machines: a Worker runs no machine code, so it supports none. */
export function isNative({ os, cpu }: Manifest): boolean {
  return [os, cpu]
    .flat()
    .some((wanted) => wanted !== undefined && !wanted.startsWith("!") && wanted !== "any");
}
