import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

import { packTar } from "modern-tar/fs";

type State = "waiting" | "published" | "unchanged" | "refused" | "failed";

/** An import of a collection of components, in the form of the API. */
export type Import = {
  id: string;
  state: "awaiting_archive" | "running" | "ended" | "failed";
  error: string | null;
  total: number;
  counts: Record<State, number>;
};

/** The outcome of one component. `message`: the reason why it was not published. */
export type ImportItem = { number: number; path: string; state: State; message: string | null };

/** Files other than code, which are not sent. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.git|dist)(?:\/|$)/;
const SENT = /(?:\.(?:[cm]?[jt]s|json)|(?:^|\/)(?:licen[cs]e|copying)[^/]*)$/i;

const PAGE = 100;

/** Milliseconds between two requests for the progress of an import. */
export const POLL_MS = 1000;

/** Whether a collection is the URL of an archive. */
export function isUrl(given: string): boolean {
  return /^https?:\/\//.test(given);
}

/**
 * Call `use` with the path of a tarball: the given file, or a temporary one with the code, manifests and licences of
 * the given folder. Returns false if neither exists.
 */
export async function withArchive(
  given: string,
  use: (archive: string) => Promise<void>,
): Promise<boolean> {
  const path = resolve(given);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return false;
  if (found.isFile()) await use(path);
  else await withPacked(path, use);
  return true;
}

async function withPacked(path: string, use: (archive: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "import-"));
  try {
    const archive = join(folder, "archive.tgz");
    const packed = packTar(path, {
      filter: (file, entry) => !LEFT_OUT.test(file) && (entry.isDirectory() || SENT.test(file)),
    });
    await pipeline(packed, createGzip(), createWriteStream(archive));
    await use(archive);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The components that were not published. `read`: sends a GET request to a path of the API and returns its data. */
export async function unpublishedOf(
  id: string,
  read: (path: string) => Promise<ImportItem[]>,
): Promise<ImportItem[]> {
  return [...(await itemsOf(id, "refused", read)), ...(await itemsOf(id, "failed", read))];
}

/** All components of an import in a state, page by page. */
async function itemsOf(
  id: string,
  state: State,
  read: (path: string) => Promise<ImportItem[]>,
): Promise<ImportItem[]> {
  const items: ImportItem[] = [];
  for (let after = -1; ; after = items.at(-1)?.number ?? after) {
    const query = `state=${state}&limit=${PAGE}&after=${after}`;
    const page = await read(`/registry/imports/${id}/components?${query}`);
    items.push(...page);
    if (page.length < PAGE) return items;
  }
}

/** The number of components in each state, as text. */
export function summaryOf({ published, unchanged, refused, failed }: Import["counts"]): string {
  return `${published} published, ${unchanged} unchanged, ${refused} refused, ${failed} failed`;
}

/** Whether an import has ended. */
export function hasEnded({ state }: Import): boolean {
  return state === "ended" || state === "failed";
}
