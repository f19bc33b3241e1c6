import { and, count, eq, gt, isNotNull, isNull, lt, not, or, type SQL, sql } from "drizzle-orm";

import type { AlertReport } from "#domain/alerts.ts";
import type { OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { alerts } from "./schema/alerts.ts";

/** An alert with its subject's name, if there is one. */
export type ListedAlert = typeof alerts.$inferSelect & { name: string | null };

/** Filters of listed alerts: an owner, else all; open ones, ended ones, or both. */
export type AlertFilter = { owner?: OwnerId | undefined; state: "open" | "ended" | "all" };

/** Time for which an ended alert is listed, and maximum per subject. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_ENDED = 20;

/** Record the open alerts of a subject; the others have ended. A deleted subject has none. */
export async function recordAlerts(
  db: Database,
  { subjectId, version, open }: AlertReport,
  nowMs: number,
): Promise<void> {
  const reported = JSON.stringify(open);
  const isOpen = sql`EXISTS (SELECT 1 FROM json_each(${reported}) AS one WHERE one.value ->> 'kind' = kind
    AND one.value ->> 'about' = about AND one.value ->> 'sinceMs' = since_ms)`;
  const own = eq(alerts.subjectId, subjectId);
  const last = sql`SELECT seq FROM alerts WHERE subject_id = ${subjectId} AND ended_ms IS NOT NULL ORDER BY seq DESC LIMIT ${MAX_ENDED}`;
  await db.batch([
    db
      .update(alerts)
      .set({ endedMs: nowMs, version })
      .where(and(own, isNull(alerts.endedMs), lt(alerts.version, version), not(isOpen))),
    db
      .insert(alerts)
      .select(
        sql`SELECT NULL, subject.owner_id, ${subjectId}, one.value ->> 'kind', one.value ->> 'about', one.value ->> 'sinceMs',
          NULL, one.value ->> 'message', one.value -> 'error', one.value ->> 'count', ${version}
        FROM json_each(${reported}) AS one JOIN (SELECT owner_id FROM sources WHERE id = ${subjectId}
          UNION ALL SELECT owner_id FROM workflows WHERE id = ${subjectId}
          UNION ALL SELECT owner_id FROM webhooks WHERE id = ${subjectId}) AS subject WHERE true`,
      )
      .onConflictDoUpdate({
        target: [alerts.subjectId, alerts.kind, alerts.about, alerts.sinceMs],
        set: {
          message: sql`excluded.message`,
          error: sql`excluded.error`,
          count: sql`excluded.count`,
          version: sql`excluded.version`,
          endedMs: null,
        },
        setWhere: sql`excluded.version > ${alerts.version}`,
      }),
    db
      .delete(alerts)
      .where(
        and(
          own,
          isNotNull(alerts.endedMs),
          or(lt(alerts.endedMs, nowMs - RETENTION_MS), sql`seq NOT IN (${last})`),
        ),
      ),
  ]);
}

/** A page of alerts, newest first. */
export async function pageOfAlerts(
  db: Database,
  filter: AlertFilter & { nowMs: number },
  request: PageRequest,
): Promise<Page<ListedAlert>> {
  const wanted = matching(filter);
  const { within, order } = pageBounds(alerts.seq, request);
  const name = sql<
    string | null
  >`COALESCE((SELECT name FROM sources WHERE id = ${alerts.subjectId}),
    (SELECT name FROM workflows WHERE id = ${alerts.subjectId}), (SELECT name FROM webhooks WHERE id = ${alerts.subjectId}))`;
  const [rows, [total]] = await db.batch([
    db
      .select({ alert: alerts, name: name.as("subject_name") })
      .from(alerts)
      .where(and(wanted, within))
      .orderBy(order)
      .limit(request.limit),
    db.select({ count: count() }).from(alerts).where(wanted),
  ]);
  const items = rows.map(({ alert, name: subjectName }) => ({ ...alert, name: subjectName }));
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

function matching({ owner, state, nowMs }: AlertFilter & { nowMs: number }): SQL | undefined {
  const isRecent = and(isNotNull(alerts.endedMs), gt(alerts.endedMs, nowMs - RETENTION_MS));
  const states = { open: isNull(alerts.endedMs), ended: isRecent };
  return and(
    owner && eq(alerts.ownerId, owner),
    state === "all" ? or(states.open, states.ended) : states[state],
  );
}
