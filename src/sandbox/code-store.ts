import { atMost, MAX_CONNECTIONS } from "#domain/concurrency.ts";
import type { Lockfile } from "#domain/lockfile.ts";

import { fileIn } from "./code-maintenance.ts";
import type { Bundle } from "./user-code.ts";

/** The store of code and bundles, addressed by content hash and therefore immutable. */
export type CodeStore = {
  putCode(hash: string, code: string): Promise<void>;
  code(hash: string): Promise<string | undefined>;
  putBundle(bundle: Bundle): Promise<void>;
  bundle(hash: string): Promise<Bundle | undefined>;
  /** The modules of a set of packages, by its hash. Throws if it does not exist. */
  packages(hash: string): Promise<Record<string, string>>;
  /** The origin of a bundle's code. */
  origin(hash: string): Promise<CodeOrigin | undefined>;
  /** The lockfile of a bundle. */
  lockfile(hash: string): Promise<Lockfile | undefined>;
  /** The size of the code of a bundle's packages, if they are large. */
  packageCharacters(hash: string): Promise<number | undefined>;
  /** The names in a folder, in order, after one of them. `next`: the name to continue after; null at the end. */
  names(folder: Folder, after: string): Promise<{ names: string[]; next: string | null }>;
  read(name: string): Promise<ReadableStream | undefined>;
  write(name: string, content: ReadableStream): Promise<void>;
};

/** The content of the store, except tarballs and resolutions, which can be fetched from the registry again. */
export const FOLDERS = ["bundles", "code", "dependencies"] as const;
type Folder = (typeof FOLDERS)[number];

const NAMES_A_PAGE = 500;

/** Packages are stored separately, once for all bundles that share them; the bundler writes them. */
type StoredBundle = Omit<Bundle, "dependencies"> & { dependencies: string };

/** The source map of code, and the packages that it was bundled with. */
export type CodeOrigin = Pick<Bundle, "map" | "lockfile">;

/** A set of packages. `parts`: the number of further files with its modules. */
type StoredSet = { modules: Record<string, string>; parts?: number };

/** Reads a file of the store. */
export type FileReader = (name: string) => Promise<Pick<Response, "json"> | undefined>;

/** The code store over an R2 bucket. */
export function openCodeStore(bucket: R2Bucket): CodeStore {
  const inTurn = atMost(MAX_CONNECTIONS);
  const file: FileReader = async (name) => (await fileIn(bucket, name)) ?? undefined;
  return {
    async putCode(hash, code) {
      await bucket.put(`code/${hash}`, code);
    },
    // Read for all steps of all workflows of a page.
    code: (hash) => inTurn(async () => (await fileIn(bucket, `code/${hash}`))?.text()),
    async putBundle({ dependencies, ...own }) {
      const stored: StoredBundle = { ...own, dependencies: dependencies.hash };
      await bucket.put(`bundles/${own.hash}`, JSON.stringify(stored), {
        customMetadata: { packages: dependencies.hash },
        // Files are immutable: the same hash is the same bundle.
        onlyIf: { etagDoesNotMatch: "*" },
      });
    },
    packages: (hash) => readPackages(file, hash),
    async origin(hash) {
      const { map, lockfile } = (await storedBundle(file, hash)) ?? {};
      return map !== undefined && lockfile ? { map, lockfile } : undefined;
    },
    async lockfile(hash) {
      return (await storedBundle(file, hash))?.lockfile;
    },
    async packageCharacters(hash) {
      return (await storedBundle(file, hash))?.packageCharacters;
    },
    bundle: (hash) => readBundle(file, hash),
    async names(folder, after) {
      const page = {
        prefix: `${folder}/`,
        limit: NAMES_A_PAGE,
        ...(after && { startAfter: after }),
      };
      const { objects, truncated } = await bucket.list(page);
      const names = objects.map(({ key }) => key);
      return { names, next: truncated ? (names.at(-1) ?? null) : null };
    },
    async read(name) {
      return (await bucket.get(name))?.body;
    },
    async write(name, content) {
      await bucket.put(name, content);
    },
  };
}

/** Read the bundle of a hash; undefined if it does not exist. Throws if its packages are missing. */
export async function readBundle(file: FileReader, hash: string): Promise<Bundle | undefined> {
  const stored = await storedBundle(file, hash);
  if (stored === undefined) return undefined;
  const modules = await readPackages(file, stored.dependencies);
  return { ...stored, dependencies: { hash: stored.dependencies, modules } };
}

/** The modules of a set of packages; none for the empty hash. Throws if they are missing. */
export async function readPackages(
  file: FileReader,
  hash: string,
): Promise<Record<string, string>> {
  if (hash === "") return {};
  const { modules, parts = 0 } = await jsonIn<StoredSet>(file, `dependencies/${hash}`);
  // Sequentially: while a part is read, it is in memory twice.
  for (let part = 1; part <= parts; part += 1)
    Object.assign(
      modules,
      await jsonIn<Record<string, string>>(file, `dependencies/${hash}.${part}`),
    );
  return modules;
}

async function storedBundle(file: FileReader, hash: string): Promise<StoredBundle | undefined> {
  return (await file(`bundles/${hash}`))?.json<StoredBundle>();
}

async function jsonIn<T>(file: FileReader, name: string): Promise<T> {
  const found = await file(name);
  if (!found) throw new Error(`The packages ${name} are missing in the store`);
  return found.json<T>();
}
