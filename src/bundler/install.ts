import type { LockedPackage, Lockfile } from "../domain/lockfile.ts";
import { manifestOf } from "./manifest.ts";
import { packageTree, type PackageTree } from "./package-files.ts";
import { Refusal } from "./refusal.ts";
import type { Registry } from "./registry.ts";
import { isIntact, unpacked, type PackageFiles } from "./tarball.ts";

/** What the packages of one component may come to in memory, beside a compiler that holds them once more. */
const MAX_TREE_BYTES = 24 * 2 ** 20;

export type Source = { registry: Registry; store: R2Bucket };

/** The files of every package in a lockfile. */
export async function installed({ packages }: Lockfile, source: Source): Promise<PackageTree> {
  const byIdentity = new Map<string, Promise<PackageFiles>>();
  const folders = Object.entries(packages).map(async ([path, locked]) => {
    const identity = `${locked.name}@${locked.version}`;
    const files = byIdentity.get(identity) ?? filesOf(locked, source);
    byIdentity.set(identity, files);
    return [path, await files] as const;
  });
  const tree = new Map(await Promise.all(folders));
  refuseTooMuch(packages, tree);
  return packageTree(tree);
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

function refuseTooMuch(packages: Lockfile["packages"], tree: Map<string, PackageFiles>): void {
  const sizes = [...tree].map(([path, files]) => ({ path, size: sizeOf(files) }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (total <= MAX_TREE_BYTES) return;
  const [largest] = sizes.toSorted((a, b) => b.size - a.size);
  const locked = largest && packages[largest.path];
  throw new Refusal(
    `The packages come to ${megabytes(total)} of code, of ${megabytes(MAX_TREE_BYTES)} at most; ` +
      `the largest is "${locked?.name}@${locked?.version}" with ${megabytes(largest?.size)}`,
  );
}

function sizeOf(files: PackageFiles): number {
  return [...files.values()].reduce((sum, { length }) => sum + length, 0);
}

function megabytes(bytes = 0): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
