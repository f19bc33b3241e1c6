import { atMost, bytesAtMost, MAX_CONNECTIONS } from "#domain/concurrency.ts";
import type { LockedPackage, Lockfile } from "#domain/lockfile.ts";

import type { Manifest } from "./manifest.ts";
import type { Omissions } from "./omissions.ts";
import { packageTree, type PackageTree } from "./package-files.ts";
import { Refusal } from "./refusal.ts";
import type { Registry, Tarball } from "./registry.ts";
import type { FileMemory } from "./set-memory.ts";
import type { BundlerStore } from "./store.ts";
import { isIntact, unpacked, type PackageFiles } from "./tarball.ts";

/** Maximum memory for packages that are not unpacked yet: the size of the largest accepted one. */
const MAX_PACKED_BYTES = 24 * 2 ** 20;

/** The manifests that were fetched so far, by `name@version`. */
export type KnownManifests = ReadonlyMap<string, Manifest>;

export type Source = {
  registry: Registry;
  store: BundlerStore;
  omissions: Omissions;
  known?: KnownManifests;
};

/** The packages of a lockfile in their folders. The same version in two folders is unpacked once. */
export function installed({ packages }: Lockfile, source: Source, memory: FileMemory): PackageTree {
  const byIdentity = new Map<string, Promise<PackageFiles>>();
  const gate = atMost(MAX_CONNECTIONS);
  const installing = { ...source, memory, room: bytesAtMost(MAX_PACKED_BYTES) };
  const load = async (folder: string): Promise<PackageFiles> => {
    const locked = packages[folder];
    if (locked === undefined) throw new Error(`${folder} is not in the lockfile`);
    const identity = `${locked.name}@${locked.version}`;
    const files = byIdentity.get(identity) ?? gate(() => installedFiles(locked, installing));
    byIdentity.set(identity, files);
    return await files;
  };
  const tree = packageTree(new Set(Object.keys(packages)), load, memory);
  return {
    ...tree,
    async resolve(specifier, from) {
      const resolved = await tree.resolve(specifier, from);
      if ("path" in resolved) source.omissions.noteImport(from.importer, resolved.path);
      return resolved;
    },
  };
}

type Installing = Source & { memory: FileMemory; room: ReturnType<typeof bytesAtMost> };

/** The files of a package. A refusal names the package. */
async function installedFiles(locked: LockedPackage, source: Installing): Promise<PackageFiles> {
  try {
    return await filesOf(locked, source);
  } catch (error) {
    if (error instanceof Refusal) error.packageName = locked.name;
    throw error;
  }
}

async function filesOf(locked: LockedPackage, source: Installing): Promise<PackageFiles> {
  const kept = await keptTarball(locked, source);
  const files = kept && (await source.room(kept.size, () => filesIfIntact(kept, locked, source)));
  return files ?? (await fetchedFiles(locked, source));
}

/** Undefined if a tarball does not match the lockfile. */
async function filesIfIntact(
  tarball: Tarball,
  locked: LockedPackage,
  installing: Installing,
): Promise<PackageFiles | undefined> {
  const bytes = await tarball.read();
  return (await isIntact(bytes, locked.integrity))
    ? await filesIn(bytes, locked, installing)
    : undefined;
}

async function filesIn(
  bytes: Uint8Array<ArrayBuffer>,
  { name, version }: LockedPackage,
  { memory, omissions }: Installing,
): Promise<PackageFiles> {
  const what = `${name}@${version}`;
  try {
    const isOmitted = (path: string): boolean => omissions.omits(name, path);
    return await unpacked(bytes, { what, memory, isOmitted });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`The tarball of "${what}" cannot be unpacked`, {
      upstream: true,
      cause: error,
    });
  }
}

/** A tarball never changes. Its integrity is checked at each read, because a writer of the store could replace it. */
async function keptTarball(
  { integrity }: LockedPackage,
  { store }: Source,
): Promise<Tarball | undefined> {
  const object = await store.get(keyOf(integrity));
  if (object === null) return undefined;
  return { size: object.size, read: async () => new Uint8Array(await object.arrayBuffer()) };
}

async function fetchedFiles(locked: LockedPackage, installing: Installing): Promise<PackageFiles> {
  const { registry, store, known, room } = installing;
  const { name, version, integrity } = locked;
  const manifest = known?.get(`${name}@${version}`) ?? (await registry.manifest(name, version));
  if (manifest === undefined) throw new Refusal(`"${name}@${version}" does not exist any more`);
  const tarball = await registry.tarball(manifest);
  return await room(tarball.size, async () => {
    const bytes = await tarball.read();
    if (!(await isIntact(bytes, integrity))) {
      throw new Refusal(`The tarball of "${name}@${version}" does not match its integrity`, {
        upstream: true,
      });
    }
    await store.put(keyOf(integrity), bytes);
    return await filesIn(bytes, locked, installing);
  });
}

function keyOf(integrity: string): string {
  return `tarballs/${integrity.replaceAll("/", "_")}`;
}
