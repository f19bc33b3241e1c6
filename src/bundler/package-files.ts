import { contentsOf } from "./held-file.ts";
import {
  resolveIn,
  type FileTree,
  type ImportKind,
  type PackageManifest,
  type Resolution,
} from "./node-resolution.ts";
import type { FileMemory } from "./set-memory.ts";
import type { PackageFiles } from "./tarball.ts";

/** Installed packages, each fetched at the first lookup in it: most of a tree never is. */
export type PackageTree = FileTree & {
  /** The contents of a file, to be compiled. */
  read(path: string): Promise<Uint8Array>;
  /** The files of a loaded package with paths that begin and end so. */
  matching(prefix: string, suffix: string): string[];
  /** The file that Node resolves a specifier to. */
  resolve(specifier: string, from: { importer: string; kind: ImportKind }): Promise<Resolution>;
};

type Loaded = { files: PackageFiles; folders: Set<string>; manifests: Map<string, unknown> };

/** A lookup in a package that has to be fetched first. */
class NotLoaded extends Error {
  readonly folder: string;

  constructor(folder: string) {
    super(folder);
    this.folder = folder;
  }
}

/** A view of packages, by their folders, as one tree of files. */
export function packageTree(
  packages: ReadonlySet<string>,
  load: (folder: string) => Promise<PackageFiles>,
  memory: FileMemory,
): PackageTree {
  const loaded = new Map<string, Loaded>();
  const inside = (path: string): { own: Loaded; rest: string } | undefined => {
    const folder = ownerOf(path, packages);
    if (folder === undefined) return undefined;
    const own = loaded.get(folder);
    if (own === undefined) throw new NotLoaded(folder);
    return { own, rest: path.slice(folder.length + 1) };
  };
  const read = async (path: string): Promise<Uint8Array> => {
    const { own, rest } = inside(path) ?? {};
    const file = own?.files.get(rest ?? "");
    if (file === undefined) throw new Error(`There is no ${path}`);
    memory.compile(file.size, nameOf(ownerOf(path, packages) ?? ""));
    return await contentsOf(file);
  };
  const tree: FileTree = {
    isFile: (path) => holds(inside(path), (own, rest) => own.files.has(rest)),
    isFolder: (path) => holds(inside(path), (own, rest) => own.folders.has(rest)),
    manifest(folder) {
      const found = inside(folder);
      return found === undefined ? undefined : manifestIn(found.own, found.rest);
    },
  };
  return {
    ...tree,
    read,
    matching(prefix, suffix) {
      const folder = ownerOf(prefix, packages) ?? "";
      const paths = [...(loaded.get(folder)?.files.keys() ?? [])].map(
        (name) => `${folder}/${name}`,
      );
      return paths.filter((path) => path.startsWith(prefix) && path.endsWith(suffix));
    },
    resolve: (specifier, from) =>
      untilLoaded(
        () => resolveIn(tree, specifier, from),
        async (folder) => void loaded.set(folder, indexed(await load(folder))),
      ),
  };
}

function holds(
  found: { own: Loaded; rest: string } | undefined,
  has: (own: Loaded, rest: string) => boolean,
): boolean {
  return found !== undefined && has(found.own, found.rest);
}

/** Retry after each package that turns out to be needed is loaded. */
async function untilLoaded<T>(look: () => T, load: (folder: string) => Promise<void>): Promise<T> {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof NotLoaded)) throw error;
    await load(error.folder);
    return await untilLoaded(look, load);
  }
}

/**
 * The innermost package that contains a path. Files that a tarball itself has under `node_modules` belong to its
 * package.
 */
function ownerOf(path: string, packages: ReadonlySet<string>): string | undefined {
  for (let end = path.length; end > 0;) {
    const start = path.lastIndexOf("node_modules/", end - 1);
    if (start === -1) return undefined;
    const [scope = "", name = ""] = path.slice(start + "node_modules/".length).split("/");
    const folder = `${path.slice(0, start)}node_modules/${scope.startsWith("@") ? `${scope}/${name}` : scope}`;
    if (packages.has(folder)) return folder;
    end = start;
  }
  return undefined;
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

function indexed(files: PackageFiles): Loaded {
  const folders = new Set([""]);
  for (const path of files.keys()) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      folders.add(path.slice(0, end));
    }
  }
  return { files, folders, manifests: new Map() };
}

function manifestIn({ files, manifests }: Loaded, folder: string): PackageManifest | undefined {
  if (!manifests.has(folder)) {
    manifests.set(
      folder,
      parsed(files.get(folder === "" ? "package.json" : `${folder}/package.json`)?.bytes),
    );
  }
  const manifest = manifests.get(folder);
  return typeof manifest === "object" && manifest !== null ? manifest : undefined;
}

function parsed(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
