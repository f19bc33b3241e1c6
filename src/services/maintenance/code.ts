import { hashesInUse } from "#db/code-uses.ts";
import {
  forgetBundle,
  forgetUnused,
  notePackages,
  noteUnused,
  packagesInUse,
  unreadBundles,
} from "#db/unused-code.ts";
import { DAY_SECONDS } from "#domain/billing.ts";
import { MAX_CONNECTIONS } from "#domain/concurrency.ts";
import { RETIRED, type StoredFile } from "#sandbox/code-maintenance.ts";

import type { AppContext } from "../context.ts";
import { runPage } from "./paged-task.ts";

/** The grace period of code after its last use, and again after its retirement: longer than any deployment takes. */
const GRACE_SECONDS = 7 * DAY_SECONDS;

/** Shorter, because tarballs can be fetched again. */
const TARBALL_SECONDS = 30 * DAY_SECONDS;

const INTERVAL_SECONDS = 6 * 60 * 60;

/** Maximum files that one sweep checks, and maximum files that it retires. */
const FILES_A_SWEEP = 200;
const RETIRED_A_SWEEP = 20;

type Files = readonly StoredFile[];

/** `done`: the number of files moved or deleted. `upTo`: the name after which to continue if some are left. */
type Seen = { done: number; upTo?: string | undefined };

/** The work of a sweep for each folder of files, in this order: bundles determine which packages are in use. */
const WORK: Record<string, (ctx: AppContext, files: Files) => Promise<Seen>> = {
  bundles: async (ctx, files) => {
    await readPackages(ctx, files);
    return retireUnused(ctx, files, await hashesInUse(ctx.db, hashesOf(files)));
  },
  code: async (ctx, files) => retireUnused(ctx, files, await hashesInUse(ctx.db, hashesOf(files))),
  dependencies: async (ctx, files) =>
    retireUnused(ctx, files, await packagesInUse(ctx.db, hashesOf(files))),
  retired: settleRetired,
  tarballs: (ctx, files) => forgetOld(ctx, files, TARBALL_SECONDS),
  resolutions: (ctx, files) => forgetOld(ctx, files, DAY_SECONDS),
};

const FOLDERS = Object.keys(WORK);
const FIRST = `${FOLDERS[0]}:`;

/**
 * Remove unused code from the code store. Code that is unused for a week is retired, but can still be read; a week
 * later it is deleted, or restored if it is in use again.
 */
export function clearCode(ctx: AppContext): Promise<number> {
  return runPage(ctx, {
    name: "code",
    intervalSeconds: INTERVAL_SECONDS,
    page: (position) => page(ctx, position),
  });
}

/** A position is a folder and the last name that was checked in it. */
async function page(
  ctx: AppContext,
  position: string,
): Promise<{ done: number; next: string | null }> {
  const [folder = "", after = ""] = (position || FIRST).split(":");
  const work = WORK[folder];
  if (!work) return { done: 0, next: null };
  const { files, isLast } = await ctx.codeMaintenance.page(folder, after, FILES_A_SWEEP);
  const { done, upTo } = await work(ctx, files);
  if (upTo !== undefined) return { done, next: `${folder}:${upTo}` };
  return { done, next: isLast ? folderAfter(folder) : `${folder}:${files.at(-1)?.name}` };
}

function folderAfter(folder: string): string | null {
  const next = FOLDERS[FOLDERS.indexOf(folder) + 1];
  return next === undefined ? null : `${next}:`;
}

/** Delete files older than this age. */
async function forgetOld(
  ctx: Pick<AppContext, "codeMaintenance" | "now">,
  files: Files,
  seconds: number,
): Promise<Seen> {
  const old = files.filter(({ since }) => since < ctx.now() - seconds);
  await ctx.codeMaintenance.forget(old.map(({ name }) => name));
  return { done: old.length };
}

/** Record the packages that bundles need. Only bundles stored by older releases have to be read for it. */
async function readPackages(
  ctx: Pick<AppContext, "codeMaintenance" | "db">,
  files: Files,
): Promise<void> {
  const unread = await unreadBundles(ctx.db, hashesOf(files));
  const named = files.filter(({ name }) => unread.has(hashOf(name)));
  const needs: { bundle: string; packages: string }[] = [];
  for (let from = 0; from < named.length; from += MAX_CONNECTIONS) {
    const some = named.slice(from, from + MAX_CONNECTIONS).map(async ({ name, packages }) => {
      const needed = packages ?? (await ctx.codeMaintenance.packagesOf(name));
      if (needed !== undefined) needs.push({ bundle: hashOf(name), packages: needed });
    });
    await Promise.all(some);
  }
  if (needs.length > 0) await notePackages(ctx.db, needs);
}

/** Retire files that were unused for the whole grace period. A later deployment of the code uploads it again. */
async function retireUnused(
  ctx: Pick<AppContext, "codeMaintenance" | "db" | "now">,
  files: Files,
  used: ReadonlySet<string>,
): Promise<Seen> {
  const now = ctx.now();
  const before = now - GRACE_SECONDS;
  const unused = files.filter(({ name, since }) => since < before && !used.has(hashOf(name)));
  const names = { names: namesOf(files), unused: namesOf(unused) };
  const idle = await noteUnused(ctx.db, names, { now, before });
  const retired = idle.slice(0, RETIRED_A_SWEEP);
  for (const name of retired) await ctx.codeMaintenance.retire(name, now);
  if (retired.length > 0) await forgetUnused(ctx.db, retired);
  return { done: retired.length, upTo: idle.length > retired.length ? retired.at(-1) : undefined };
}

/** Restore code that is in use again, and delete code that was unused for a second grace period. */
async function settleRetired(
  ctx: Pick<AppContext, "codeMaintenance" | "db" | "now">,
  files: Files,
): Promise<Seen> {
  const places = files.map((file) => ({ ...file, name: file.name.slice(RETIRED.length) }));
  const packages = await packagesInUse(ctx.db, hashesOf(places));
  const others = await hashesInUse(ctx.db, hashesOf(places));
  const used = ({ name }: StoredFile): boolean =>
    (name.startsWith("dependencies/") ? packages : others).has(hashOf(name));
  const back = places.filter((file) => used(file));
  for (const { name } of back) await ctx.codeMaintenance.bringBack(name);
  const before = ctx.now() - GRACE_SECONDS;
  const gone = places.filter((file) => file.since < before && !used(file));
  await ctx.codeMaintenance.forget(gone.map(({ name }) => `${RETIRED}${name}`));
  for (const { name } of gone)
    if (name.startsWith("bundles/")) await forgetBundle(ctx.db, hashOf(name));
  return { done: back.length + gone.length };
}

function hashesOf(files: Files): string[] {
  return files.map(({ name }) => hashOf(name));
}

function namesOf(files: Files): string[] {
  return files.map(({ name }) => name);
}

/** A large set of packages lies in several files: `<hash>`, `<hash>.1` and so on. */
function hashOf(name: string): string {
  return name.slice(name.indexOf("/") + 1).replace(/\.\d+$/, "");
}
