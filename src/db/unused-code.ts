import { eq, inArray, sql } from "drizzle-orm";

import type { Database } from "./client.ts";
import { bundlePackages, unusedCode } from "./schema/maintenance.ts";

const listOf = (names: readonly string[]) =>
  sql`(SELECT value FROM json_each(${JSON.stringify(names)}))`;

/**
 * Record the unused ones of some files. Returns those that were unused at `before` as well, and at all times recorded
 * since.
 */
export async function noteUnused(
  db: Database,
  { names, unused }: { names: readonly string[]; unused: readonly string[] },
  { now, before }: { now: number; before: number },
): Promise<string[]> {
  const [, , found] = await db.batch([
    db
      .delete(unusedCode)
      .where(
        sql`${unusedCode.name} IN ${listOf(names)} AND ${unusedCode.name} NOT IN ${listOf(unused)}`,
      ),
    db
      .insert(unusedCode)
      .select(
        db
          .select({ name: sql<string>`value`.as("name"), since: sql<number>`${now}`.as("since") })
          .from(sql`json_each(${JSON.stringify(unused)})`)
          .where(sql`true`),
      )
      .onConflictDoNothing(),
    db
      .select({ name: unusedCode.name })
      .from(unusedCode)
      .where(sql`${unusedCode.name} IN ${listOf(unused)} AND ${unusedCode.since} <= ${before}`)
      .orderBy(unusedCode.name),
  ]);
  return found.map(({ name }) => name);
}

/** Delete the records of deleted files. */
export async function forgetUnused(db: Database, names: readonly string[]): Promise<void> {
  await db.delete(unusedCode).where(sql`${unusedCode.name} IN ${listOf(names)}`);
}

/** Filter bundles without a recorded package set. */
export async function unreadBundles(db: Database, hashes: readonly string[]): Promise<Set<string>> {
  const known = await db
    .select({ hash: bundlePackages.bundleHash })
    .from(bundlePackages)
    .where(inArray(bundlePackages.bundleHash, listOf(hashes)));
  const unread = new Set(hashes);
  for (const { hash } of known) unread.delete(hash);
  return unread;
}

/** Record the package sets of bundles, by hash. */
export async function notePackages(
  db: Database,
  needs: readonly { bundle: string; packages: string }[],
): Promise<void> {
  await db
    .insert(bundlePackages)
    .select(
      db
        .select({
          bundleHash: sql<string>`value ->> 'bundle'`.as("bundle_hash"),
          packagesHash: sql<string>`value ->> 'packages'`.as("packages_hash"),
        })
        .from(sql`json_each(${JSON.stringify(needs)})`)
        .where(sql`true`),
    )
    .onConflictDoNothing();
}

export async function forgetBundle(db: Database, hash: string): Promise<void> {
  await db.delete(bundlePackages).where(eq(bundlePackages.bundleHash, hash));
}

/** Filter package sets that a bundle of the store needs. */
export async function packagesInUse(db: Database, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ hash: bundlePackages.packagesHash })
    .from(bundlePackages)
    .where(inArray(bundlePackages.packagesHash, listOf(hashes)));
  return new Set(rows.map(({ hash }) => hash));
}
