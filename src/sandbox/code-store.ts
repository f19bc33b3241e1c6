import type { Bundle } from "./user-code.ts";

/** Where code and bundles are kept by their content hash: what is there never changes. */
export type CodeStore = {
  putCode(hash: string, code: string): Promise<void>;
  code(hash: string): Promise<string | undefined>;
  putBundle(bundle: Bundle): Promise<void>;
  bundle(hash: string): Promise<Bundle | undefined>;
};

/** The code store over an R2 bucket. */
export function openCodeStore(bucket: R2Bucket): CodeStore {
  return {
    async putCode(hash, code) {
      await bucket.put(`code/${hash}`, code);
    },
    async code(hash) {
      return (await bucket.get(`code/${hash}`))?.text();
    },
    async putBundle(bundle) {
      await bucket.put(`bundles/${bundle.hash}`, JSON.stringify(bundle));
    },
    async bundle(hash) {
      return (await bucket.get(`bundles/${hash}`))?.json<Bundle>();
    },
  };
}
