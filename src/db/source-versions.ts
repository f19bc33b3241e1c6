import { and, eq, sql } from "drizzle-orm";

import type { ActorId, Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { sourceVersions as versions } from "./schema/source-versions.ts";
import { components, sources } from "./schema/tables.ts";
import { isLiveFor } from "./sources.ts";

/** A component that a source runs or ran. */
export type SourceVersion = {
  version: number;
  at: number;
  userId: ActorId | null;
  componentId: Id<"component">;
  key: string | null;
  name: string;
  componentVersion: string;
  codeHash: string;
  filesHash: string | null;
  url: string | null;
};

const columns = {
  version: versions.version,
  at: sql<number>`${versions.createdAt}`.as("at"),
  userId: versions.userId,
  componentId: versions.componentId,
  key: components.key,
  name: components.name,
  componentVersion: sql<string>`${components.version}`.as("component_version"),
  codeHash: components.codeHash,
  filesHash: components.filesHash,
  url: components.url,
};

type Subject = { id: Id<"source">; user: ActorId };

/** The versions of a source that the user may see, and the newest of them. Undefined if there is no such source. */
export async function pageOfSourceVersions(
  db: Database,
  { id, user }: Subject,
  request: PageRequest,
): Promise<(Page<SourceVersion> & { newest: number }) | undefined> {
  const { within, order } = pageBounds(versions.version, request);
  const ofSource = sql`FROM ${versions} WHERE ${versions.sourceId} = ${id}`;
  const [[found], items] = await db.batch([
    db
      .select({
        total: sql<number>`(SELECT count(*) ${ofSource})`.as("total"),
        newest: sql<number>`(SELECT max(${versions.version}) ${ofSource})`.as("newest"),
      })
      .from(sources)
      .where(isLiveFor(db, user, id)),
    db
      .select(columns)
      .from(versions)
      .innerJoin(components, eq(components.id, versions.componentId))
      .where(and(eq(versions.sourceId, id), within))
      .orderBy(order)
      .limit(request.limit),
  ]);
  if (!found) return undefined;
  return { items: newestFirst(items, request), totalCount: found.total, newest: found.newest };
}

/** A version of a source that the user may see; without a number, the newest. */
export async function sourceVersion(
  db: Database,
  { id, user }: Subject,
  number: number | undefined,
): Promise<SourceVersion | undefined> {
  const newest = sql`(SELECT max(version) FROM ${versions} WHERE ${versions.sourceId} = ${id})`;
  const [found] = await db
    .select(columns)
    .from(versions)
    .innerJoin(sources, eq(sources.id, versions.sourceId))
    .innerJoin(components, eq(components.id, versions.componentId))
    .where(and(isLiveFor(db, user, id), eq(versions.version, number ?? newest)));
  return found;
}
