import type { FileTree, PackageManifest } from "./node-resolution.ts";
import type { PackageFiles } from "./tarball.ts";

/** The files of installed packages, each package in its folder. */
export type PackageTree = FileTree & { bytes(path: string): Uint8Array | undefined };

/** See packages by the folders that they lie in as one tree of files. */
export function packageTree(packages: Map<string, PackageFiles>): PackageTree {
  const files = new Map<string, Uint8Array>();
  const folders = new Set<string>();
  for (const [folder, contents] of packages) {
    for (const [path, bytes] of contents) {
      files.set(`${folder}/${path}`, bytes);
      addFolders(folders, `${folder}/${path}`);
    }
  }
  const manifests = new Map<string, PackageManifest | undefined>();
  return {
    isFile: (path) => files.has(path),
    isFolder: (path) => folders.has(path),
    bytes: (path) => files.get(path),
    manifest(folder) {
      if (!manifests.has(folder)) {
        manifests.set(folder, manifestOf(files.get(`${folder}/package.json`)));
      }
      return manifests.get(folder);
    },
  };
}

function addFolders(folders: Set<string>, path: string): void {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const folder = path.slice(0, end);
    if (folders.has(folder)) return;
    folders.add(folder);
  }
}

function manifestOf(bytes: Uint8Array | undefined): PackageManifest | undefined {
  if (bytes === undefined) return undefined;
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof manifest === "object" && manifest !== null ? manifest : undefined;
  } catch {
    return undefined;
  }
}
