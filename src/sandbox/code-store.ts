import type { Lockfile } from "../domain/lockfile.ts";
import type { Bundle } from "./user-code.ts";

/** Where code and bundles are kept by their content hash: what is there never changes. */
export type CodeStore = {
  putCode(hash: string, code: string): Promise<void>;
  code(hash: string): Promise<string | undefined>;
  putBundle(bundle: Bundle): Promise<void>;
  bundle(hash: string): Promise<Bundle | undefined>;
  /** What a bundle was made of, without the bundle. */
  lockfile(hash: string): Promise<Lockfile | undefined>;
};

/** Packages lie beside it, once for all bundles that share them; the bundler puts them there. */
type StoredBundle = Omit<Bundle, "dependencies"> & { dependencies: string };

/** The code store over an R2 bucket. */
export function openCodeStore(bucket: R2Bucket): CodeStore {
  return {
    async putCode(hash, code) {
      await bucket.put(`code/${hash}`, code);
    },
    async code(hash) {
      return (await bucket.get(`code/${hash}`))?.text();
    },
    async putBundle({ dependencies, ...own }) {
      const stored: StoredBundle = { ...own, dependencies: dependencies.hash };
      await bucket.put(`bundles/${own.hash}`, JSON.stringify(stored));
    },
    async lockfile(hash) {
      return (await storedBundle(bucket, hash))?.lockfile;
    },
    async bundle(hash) {
      const stored = await storedBundle(bucket, hash);
      if (stored === undefined) return undefined;
      const modules = await modulesOf(bucket, stored.dependencies);
      return { ...stored, dependencies: { hash: stored.dependencies, modules } };
    },
  };
}

async function storedBundle(bucket: R2Bucket, hash: string): Promise<StoredBundle | undefined> {
  return (await bucket.get(`bundles/${hash}`))?.json<StoredBundle>();
}

async function modulesOf(bucket: R2Bucket, dependencies: string): Promise<Record<string, string>> {
  if (dependencies === "") return {};
  const set = await bucket.get(`dependencies/${dependencies}`);
  if (set === null) throw new Error(`The packages ${dependencies} are gone from the store`);
  return (await set.json<{ modules: Record<string, string> }>()).modules;
}
