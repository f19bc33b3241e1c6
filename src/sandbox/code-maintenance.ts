/**
 * A file of the code store. `since`: when it was put there or taken out of use, epoch seconds; `packages`: the set that
 * a bundle needs, where its file says so.
 */
export type StoredFile = { name: string; since: number; packages: string | undefined };

/** The store as the sweep goes through it. Names have a folder and a hash. */
export type CodeMaintenance = {
  /** Files in the order of their names, after one of them. `isLast`: there is nothing behind them. */
  page(
    folder: string,
    after: string,
    limit: number,
  ): Promise<{ files: StoredFile[]; isLast: boolean }>;
  /** The set of packages that a bundle needs; empty where it needs none. Undefined: there is no such bundle. */
  packagesOf(name: string): Promise<string | undefined>;
  /** Take a file out of use. It is still found by who needs it all the same, until it is forgotten. */
  retire(name: string, at: number): Promise<void>;
  /** Put a retired file back in its place, where nobody has done so already. */
  bringBack(name: string): Promise<void>;
  forget(names: readonly string[]): Promise<void>;
};

/** Before the name of a file that was taken out of use. */
export const RETIRED = "retired/";

/** Go through an R2 bucket. */
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
    // Nothing tells a file that was put again just now from the one that is to go. So none is ever lost at once:
    // whoever misses it finds the copy, and one that is in use comes back.
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

/** Read a file, even one that was taken out of use. */
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
