import { mapAtMost, MAX_CONNECTIONS } from "#domain/concurrency.ts";
import type { Id } from "#domain/ids.ts";
import { MAX_STASH_FILES, type StashFile } from "#domain/stash.ts";

/** A stored file for a response. */
export type StoredStashFile = { body: ReadableStream; size: number };

/** The files of stashes, by the id of the stash and their path in it. */
export type StashStore = {
  files(id: Id<"stash">): Promise<StashFile[]>;
  /** Store some files, and delete others by their paths. */
  change(
    id: Id<"stash">,
    change: { put: readonly StashFile[]; remove: readonly string[] },
  ): Promise<void>;
  read(id: Id<"stash">, path: string): Promise<StoredStashFile | undefined>;
  /** Delete all files of a stash. */
  clear(id: Id<"stash">): Promise<void>;
};

/** Stashes in an R2 bucket, under a prefix of their own. */
export function openStashStore(bucket: R2Bucket): StashStore {
  // One page contains all files of a stash, which has at most as many.
  const keysOf = async (id: Id<"stash">): Promise<string[]> => {
    const { objects } = await bucket.list({ prefix: keyOf(id, ""), limit: MAX_STASH_FILES });
    return objects.map(({ key }) => key);
  };
  return {
    async files(id) {
      const found = await mapAtMost(MAX_CONNECTIONS, await keysOf(id), async (key) => {
        const bytes = await (await bucket.get(key))?.bytes();
        return bytes && { path: key.slice(keyOf(id, "").length), bytes };
      });
      return found.filter((file) => file !== undefined);
    },
    async change(id, { put, remove }) {
      await mapAtMost(MAX_CONNECTIONS, put, ({ path, bytes }) =>
        bucket.put(keyOf(id, path), bytes),
      );
      if (remove.length > 0) await bucket.delete(remove.map((path) => keyOf(id, path)));
    },
    async read(id, path) {
      const found = await bucket.get(keyOf(id, path));
      return found ? { body: found.body, size: found.size } : undefined;
    },
    async clear(id) {
      const keys = await keysOf(id);
      if (keys.length > 0) await bucket.delete(keys);
    },
  };
}

function keyOf(id: Id<"stash">, path: string): string {
  return `stash/${id}/${path}`;
}
