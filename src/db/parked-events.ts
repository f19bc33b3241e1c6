import { and, desc, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import { ownersIn, type Whose } from "./activity.ts";
import type { Database } from "./client.ts";
import { alerts } from "./schema/alerts.ts";
import { sources } from "./schema/tables.ts";

/** A source that parked events lately. */
export type ParkingSource = { id: Id<"source">; ownerId: OwnerId; name: string };

/** The sources that parked an event since a time, the latest first: those of some owners, or of all. */
export function parkingSources(
  db: Database,
  whose: Whose | undefined,
  { sinceMs, limit }: { sinceMs: number; limit: number },
): Promise<ParkingSource[]> {
  const isRecent = or(isNull(alerts.endedMs), gt(alerts.endedMs, sinceMs));
  const owned: SQL | undefined = whose && sql`${alerts.ownerId} IN ${ownersIn(whose)}`;
  const { id, ownerId, name } = sources;
  return db
    .select({ id, ownerId, name })
    .from(alerts)
    .innerJoin(sources, eq(sources.id, alerts.subjectId))
    .where(and(eq(alerts.kind, "event_parked"), isRecent, owned))
    .groupBy(sources.id)
    .orderBy(desc(sql`max(${alerts.seq})`))
    .limit(limit);
}
