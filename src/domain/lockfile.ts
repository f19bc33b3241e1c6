/** An installed package. The integrity identifies its tarball for good. */
export type LockedPackage = { name: string; version: string; integrity: string };

/**
 * The packages of a bundle. `packages` contains the folder of each, as npm lays them out, so that the same code with
 * the same lockfile gives the same bundle, although the registry has published newer versions since.
 */
export type Lockfile = {
  lockfileVersion: 1;
  /** The imports of the code: the folder by `name` or `name@range`. */
  requests: Record<string, string>;
  packages: Record<string, LockedPackage>;
};

export const EMPTY_LOCKFILE: Lockfile = { lockfileVersion: 1, requests: {}, packages: {} };

/** The lockfile as text: equal for equal contents, in any order. */
export function lockText({ lockfileVersion, requests, packages }: Lockfile): string {
  return JSON.stringify({
    lockfileVersion,
    requests: sorted(requests),
    packages: sorted(packages),
  });
}

/** The names of the packages in a lockfile. */
export function packageNames({ packages }: Lockfile): string[] {
  return Object.values(packages).map(({ name }) => name);
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
