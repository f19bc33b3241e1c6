/**
 * A file of the code store. `since`: the time when it was stored or retired, epoch seconds; `packages`: the set that a
 * bundle needs, if its file states it.
 */
export type StoredFile = { name: string; since: number; packages: string | undefined };

/** The code store for the sweep. Names are a folder and a hash. */
export type CodeMaintenance = {
  /** Files ordered by name, after one of them. `isLast`: no more follow. */
  page(
    folder: string,
    after: string,
    limit: number,
  ): Promise<{ files: StoredFile[]; isLast: boolean }>;
  /** The package set of a bundle; empty if it needs none. Undefined: the bundle does not exist. */
  packagesOf(name: string): Promise<string | undefined>;
  /** Retire a file. Readers still find it until it is deleted. */
  retire(name: string, at: number): Promise<void>;
  /** Restore a retired file. Idempotent. */
  bringBack(name: string): Promise<void>;
  forget(names: readonly string[]): Promise<void>;
};

/** Prefix of a retired file's name. */
export const RETIRED = "retired/";

/** The code store in an R2 bucket. */
export function openCodeMaintenance(bucket: R2Bucket): CodeMaintenance {
  return {
    async page(folder, after, limit) {
      const { objects, truncated } = await bucket.list({
        prefix: `${folder}/`,
        limit,
        include: ["customMetadata"],
        ...(after && { startAfter: after }),
      });
      const files = objects.map(({ key, uploaded, customMetadata }) => ({
        name: key,
        since: Number(customMetadata?.["retiredAt"] ?? Math.floor(uploaded.getTime() / 1000)),
        packages: customMetadata?.["packages"],
      }));
      return { files, isLast: !truncated };
    },
    async packagesOf(name) {
      return (await (await bucket.get(name))?.json<{ dependencies: string }>())?.dependencies;
    },
    // A file that was stored again just now looks like the one to delete. So files are retired first:
    // a reader finds the copy, and a file that is in use is restored.
    async retire(name, at) {
      await copy(bucket, { from: name, to: `${RETIRED}${name}` }, { retiredAt: String(at) });
      await bucket.delete(name);
    },
    async bringBack(name) {
      if ((await bucket.head(name)) === null)
        await copy(bucket, { from: `${RETIRED}${name}`, to: name }, {});
      await bucket.delete(`${RETIRED}${name}`);
    },
    async forget(names) {
      if (names.length > 0) await bucket.delete([...names]);
    },
  };
}

/** Read a file, even a retired one. */
export async function fileIn(bucket: R2Bucket, name: string): Promise<R2ObjectBody | null> {
  return (await bucket.get(name)) ?? (await bucket.get(`${RETIRED}${name}`));
}

async function copy(
  bucket: R2Bucket,
  { from, to }: { from: string; to: string },
  more: Record<string, string>,
): Promise<void> {
  const file = await bucket.get(from);
  if (!file) return;
  const { retiredAt: _, ...known } = file.customMetadata ?? {};
  await bucket.put(to, file.body, { customMetadata: { ...known, ...more } });
}
