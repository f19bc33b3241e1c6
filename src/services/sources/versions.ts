import * as store from "#db/source-versions.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Context } from "../context.ts";
import { filesOf } from "../registry-imports/built.ts";

export type ListedVersion = store.SourceVersion & { isCurrent: boolean };

/** A version of a source with its original code. `isTruncated`: some files are left out. */
export type VersionWithCode = store.SourceVersion & {
  entry: string;
  files: { path: string; code: string }[];
  isTruncated: boolean;
};

/** Maximum characters of code in a response, which always contains the entry. */
const MAX_CHARACTERS = 2_000_000;

/** The entry of code without files. */
const ENTRY = "component.js";

/** The components that a source has run, newest first. */
export async function listSourceVersions(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"source">,
  request: PageRequest,
): Promise<Page<ListedVersion & { seq: number }>> {
  const page = await store.pageOfSourceVersions(ctx.db, { id, user: ctx.actor.id }, request);
  if (!page) throw notFound("source", id);
  const { items, totalCount, newest } = page;
  const listed = items.map((one) => ({
    ...one,
    seq: one.version,
    isCurrent: one.version === newest,
  }));
  return { items: listed, totalCount };
}

/** The code of a version of a source; without a number, the current code. */
export async function getSourceCode(
  ctx: Pick<Context, "actor" | "codeStore" | "db">,
  id: Id<"source">,
  number?: number,
): Promise<VersionWithCode> {
  const found = await store.sourceVersion(ctx.db, { id, user: ctx.actor.id }, number);
  if (!found) throw missing(id, number);
  const code = await ctx.codeStore.code(found.codeHash);
  if (code === undefined)
    throw new Error(`The code ${found.codeHash} of ${found.componentId} is not in the code store`);
  if (found.filesHash === null)
    return { ...found, entry: ENTRY, files: [{ path: ENTRY, code }], isTruncated: false };
  const files = await filesOf(ctx, { id: found.componentId, filesHash: found.filesHash });
  return { ...found, ...shownFiles(files, code) };
}

/** The entry is the file with the component's own code hash. */
function shownFiles(
  files: Record<string, string>,
  code: string,
): Pick<VersionWithCode, "entry" | "files" | "isTruncated"> {
  const all = Object.entries(files).map(([path, text]) => ({ path, code: text }));
  const entry = all.find((file) => file.code === code)?.path ?? ENTRY;
  let room = MAX_CHARACTERS - code.length;
  const shown = all.filter(({ path, code: text }) => {
    if (path === entry) return true;
    room -= text.length;
    return room >= 0;
  });
  return { entry, files: shown, isTruncated: shown.length < all.length };
}

function missing(id: Id<"source">, number: number | undefined): RequestError {
  if (number === undefined) return notFound("source", id);
  return new RequestError("not_found", `No version ${number} of ${id}`);
}
