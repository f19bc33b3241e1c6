import type { LockedPackage, Lockfile } from "../domain/lockfile.ts";
import { manifestOf } from "./manifest.ts";
import { packageTree, type PackageTree } from "./package-files.ts";
import { Refusal } from "./refusal.ts";
import type { Registry } from "./registry.ts";
import { isIntact, unpacked, type PackageFiles } from "./tarball.ts";

export type Source = { registry: Registry; store: R2Bucket };

/** The packages of a lockfile in their folders. The same version in two folders is unpacked once. */
export function installed({ packages }: Lockfile, source: Source): PackageTree {
  const byIdentity = new Map<string, Promise<PackageFiles>>();
  return packageTree(new Set(Object.keys(packages)), async (folder) => {
    const locked = packages[folder];
    if (locked === undefined) throw new Error(`${folder} is not in the lockfile`);
    const identity = `${locked.name}@${locked.version}`;
    const files = byIdentity.get(identity) ?? filesOf(locked, source);
    byIdentity.set(identity, files);
    return await files;
  });
}

async function filesOf(locked: LockedPackage, source: Source): Promise<PackageFiles> {
  const what = `${locked.name}@${locked.version}`;
  const tarball = (await keptTarball(locked, source)) ?? (await fetchedTarball(locked, source));
  try {
    return await unpacked(tarball, what);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`The tarball of "${what}" cannot be unpacked`, {
      upstream: true,
      cause: error,
    });
  }
}

/** A tarball is the same for good, by its integrity. Whoever can write to the store could change it: it is checked. */
async function keptTarball(
  { integrity }: LockedPackage,
  { store }: Source,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const object = await store.get(keyOf(integrity));
  if (object === null) return undefined;
  const bytes = new Uint8Array(await object.arrayBuffer());
  return (await isIntact(bytes, integrity)) ? bytes : undefined;
}

async function fetchedTarball(
  { name, version, integrity }: LockedPackage,
  { registry, store }: Source,
): Promise<Uint8Array<ArrayBuffer>> {
  const manifest = manifestOf(await registry.packument(name), version);
  if (manifest === undefined) throw new Refusal(`There is no "${name}@${version}" any more`);
  const bytes = await registry.tarball(manifest);
  if (!(await isIntact(bytes, integrity))) {
    throw new Refusal(`The tarball of "${name}@${version}" is not what the registry published`, {
      upstream: true,
    });
  }
  await store.put(keyOf(integrity), bytes);
  return bytes;
}

function keyOf(integrity: string): string {
  return `tarballs/${integrity.replaceAll("/", "_")}`;
}
