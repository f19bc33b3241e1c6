import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** Digits of a commit, as git abbreviates it in a large repository. */
const DIGITS = 12;

/**
 * The commit of the sources in a folder: that of its clone, read from files because git may be missing, else the one in the
 * package.json of a package. Undefined if neither has it.
 */
export function commitOf(root: string): string | undefined {
  try {
    const commit = existsSync(join(root, ".git")) ? headOf(gitFolder(root)) : packedCommit(root);
    return commit?.slice(0, DIGITS);
  } catch {
    // Unreadable: no start fails for it.
    return undefined;
  }
}

/** In a worktree, `.git` is a file with the path of the folder. */
function gitFolder(root: string): string {
  const path = join(root, ".git");
  if (statSync(path).isDirectory()) return path;
  return resolve(root, textIn(path).replace(/^gitdir: /, ""));
}

function headOf(folder: string): string | undefined {
  const head = textIn(join(folder, "HEAD"));
  const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
  if (ref === undefined) return head;
  const common = join(folder, "commondir");
  const refs = existsSync(common) ? resolve(folder, textIn(common)) : folder;
  return existsSync(join(refs, ref)) ? textIn(join(refs, ref)) : packedRef(refs, ref);
}

function packedRef(folder: string, ref: string): string | undefined {
  const lines = textIn(join(folder, "packed-refs")).split("\n");
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0];
}

function packedCommit(root: string): string | undefined {
  const { gitHead }: { gitHead?: string } = JSON.parse(textIn(join(root, "package.json")));
  return gitHead;
}

function textIn(path: string): string {
  return readFileSync(path, "utf8").trim();
}
