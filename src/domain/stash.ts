/** A file of a stash: its path below /tmp in the runtime's form, and its content. */
export type StashFile = { path: string; bytes: Uint8Array };

/** Limits of one stash. The harness has the same limits, and reports the exceeded one. */
const MAX_STASH_BYTES = 20 * 1024 * 1024;
export const MAX_STASH_FILES = 1000;
const MAX_PATH_BYTES = 500;

/** Time for which a stash is kept after its last run, and its URLs are valid. */
export const STASH_SECONDS = 24 * 3600;

/** Whether a path names a file below a folder, and nothing outside of it. The runtime's paths are percent-encoded. */
export function isStashPath(path: string): boolean {
  const hasRoom = Buffer.byteLength(path) <= MAX_PATH_BYTES;
  return hasRoom && path.isWellFormed() && path.split("/").every(isName);
}

/** A path of a stash, decoded. */
export function shownPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isName(part: string): boolean {
  const name = shownPath(part);
  // oxlint-disable-next-line no-control-regex -- it finds control characters.
  return !["", ".", ".."].includes(name) && !/[/\u0000-\u001F\u007F]/.test(name);
}

/** The rule that the files of a stash break; undefined if they break none. */
export function excessOfStash(files: readonly StashFile[]): string | undefined {
  if (files.length > MAX_STASH_FILES) return "more files than a stash holds";
  const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (bytes > MAX_STASH_BYTES) return "files of more than 20 MB for a stash";
  const paths = new Set(files.map(({ path }) => path));
  if (paths.size < files.length || ![...paths].every(isStashPath))
    return "a file whose name a stash does not hold";
  return undefined;
}
