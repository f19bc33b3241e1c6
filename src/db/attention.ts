import { and, desc, eq, gt, gte, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import { ownersIn, type Whose } from "./activity.ts";
import type { Database } from "./client.ts";
import { accounts } from "./schema/accounts.ts";
import { alerts } from "./schema/alerts.ts";
import {
  ownerUsage,
  sources,
  usage,
  users,
  webhooks,
  workflows,
  workspaces,
} from "./schema/tables.ts";

/** Maximum findings of each kind. */
const MAX_FINDINGS = 20;

/** The subject of an open alert. Deactivated webhooks are queried separately. */
export function openAlertsQuery(db: Database, whose: Whose) {
  return db
    .select({
      kind: alerts.kind,
      subjectId: alerts.subjectId,
      name: subjectName(sql`${alerts.subjectId}`),
      message: alerts.message,
      sinceMs: alerts.sinceMs,
    })
    .from(alerts)
    .where(
      and(
        sql`${alerts.ownerId} IN ${ownersIn(whose)}`,
        isNull(alerts.endedMs),
        inArray(alerts.kind, ["failing", "late", "account_lost", "event_parked"]),
      ),
    )
    .orderBy(desc(alerts.seq))
    .limit(MAX_FINDINGS);
}

/** Webhooks that the platform has deactivated. */
export function inactiveWebhooksQuery(db: Database, whose: Whose) {
  const sinceMs = sql<number | null>`(SELECT max(${alerts.sinceMs}) FROM ${alerts}
    WHERE ${alerts.subjectId} = ${webhooks.id} AND ${alerts.kind} = 'webhook_disabled')`;
  return db
    .select({
      id: webhooks.id,
      name: sql<string>`coalesce(${webhooks.name}, ${webhooks.url})`,
      reason: sql<string>`${webhooks.inactiveReason}`,
      sinceMs,
    })
    .from(webhooks)
    .where(
      and(
        sql`${webhooks.ownerId} IN ${ownersIn(whose)}`,
        eq(webhooks.active, false),
        isNotNull(webhooks.inactiveReason),
      ),
    )
    .orderBy(desc(webhooks.seq))
    .limit(MAX_FINDINGS);
}

/** Accounts with tokens that cannot be refreshed. */
export function brokenAccountsQuery(db: Database, whose: Whose) {
  const { id, name, app, dead, error, errorAt } = accounts;
  return db
    .select({ id, name, app, dead, error, errorAt })
    .from(accounts)
    .where(
      and(
        sql`${accounts.ownerId} IN ${ownersIn(whose)}`,
        or(eq(accounts.dead, true), isNotNull(accounts.error)),
      ),
    )
    .orderBy(desc(accounts.dead), desc(accounts.errorAt))
    .limit(MAX_FINDINGS);
}

/** Today's usage of owners with quotas. */
export function quotasQuery(db: Database, whose: Whose, today: string) {
  const ids = ownersIn(whose);
  const select = (owner: typeof users | typeof workspaces, name: SQL<string>) =>
    db
      .select({
        id: sql<Id<"user"> | Id<"workspace">>`${owner.id}`,
        name,
        dailyInvocationsQuota: owner.dailyInvocationsQuota,
        dailyComputeMsQuota: owner.dailyComputeMsQuota,
        dailyCreditsQuota: owner.dailyCreditsQuota,
        storageQuota: owner.storageQuota,
        invocations: ownerUsage.invocations,
        computeMs: ownerUsage.computeMs,
        credits: ownerUsage.credits,
      })
      .from(owner)
      .innerJoin(ownerUsage, and(eq(ownerUsage.ownerId, owner.id), eq(ownerUsage.day, today)))
      .where(
        and(
          sql`${owner.id} IN ${ids}`,
          or(
            isNotNull(owner.dailyInvocationsQuota),
            isNotNull(owner.dailyComputeMsQuota),
            isNotNull(owner.dailyCreditsQuota),
          ),
        ),
      )
      .limit(MAX_FINDINGS);
  return [
    select(users, sql<string>`${users.username}`),
    select(workspaces, sql<string>`${workspaces.name}`),
  ] as const;
}

/** With fewer failures no emitter is reported. */
const MIN_FAILURES = 3;

/** Emitters and webhooks with at least half of their runs or attempts failed since a day. */
export function failingQuery(db: Database, whose: Whose, since: string) {
  const [done, failed] = [
    sql<number>`sum(${usage.invocations})`,
    sql<number>`sum(coalesce(${usage.failures}, 0))`,
  ];
  return db
    .select({
      id: sql<string>`${usage.emitterId}`,
      name: subjectName(sql`${usage.emitterId}`),
      done,
      failed,
    })
    .from(usage)
    .where(and(sql`${usage.ownerId} IN ${ownersIn(whose)}`, gte(usage.day, since)))
    .groupBy(usage.emitterId)
    .having(sql`${failed} >= ${MIN_FAILURES} AND ${failed} * 2 >= ${done} AND ${isTheirs(whose)}`)
    .orderBy(desc(failed))
    .limit(MAX_FINDINGS);
}

/** A source that emitted on fewer of the days before is not reported. */
const MIN_DAYS = 4;

/** Active sources without events since a day that emitted on most of the days before, from another day on. */
export function silentSourcesQuery(
  db: Database,
  whose: Whose,
  { from, quietSince }: { from: string; quietSince: string },
) {
  const lastDay = sql<string>`max(${usage.day})`;
  const days = sql<number>`count(*)`;
  return db
    .select({
      id: sql<string>`${usage.emitterId}`,
      name: subjectName(sql`${usage.emitterId}`),
      lastDay,
      days,
    })
    .from(usage)
    .where(
      and(sql`${usage.ownerId} IN ${ownersIn(whose)}`, gte(usage.day, from), gt(usage.events, 0)),
    )
    .groupBy(usage.emitterId)
    .having(
      sql`${lastDay} < ${quietSince} AND ${days} >= ${MIN_DAYS} AND EXISTS (
        SELECT 1 FROM ${sources} AS own WHERE own.id = ${usage.emitterId}
          AND own.active = 1 AND own.state = 'live' AND own.owner_id IN ${ownersIn(whose)})`,
    )
    .orderBy(desc(lastDay))
    .limit(MAX_FINDINGS);
}

/** The number of resources of each kind. */
export function countsQuery(db: Database, whose: Whose) {
  const ids = ownersIn(whose);
  const number = (table: SQL, also = sql``) =>
    sql<number>`(SELECT count(*) FROM ${table} WHERE owner_id IN ${ids} ${also})`;
  return db
    .select({
      sources: number(sql`${sources}`, sql`AND state = 'live'`).as("source_count"),
      workflows: number(sql`${workflows}`).as("workflow_count"),
      webhooks: number(sql`${webhooks}`).as("webhook_count"),
      accounts: number(sql`${accounts}`).as("account_count"),
    })
    .from(sql`(SELECT 1)`);
}

/** Whether a resource is theirs: the usage of external users' resources counts for the payer, but is not shown here. */
function isTheirs(whose: Whose): SQL {
  const own = (table: SQL): SQL => sql`EXISTS (
    SELECT 1 FROM ${table} AS own WHERE own.id = ${usage.emitterId} AND own.owner_id IN ${ownersIn(whose)})`;
  return sql`(${own(sql`${sources}`)} OR ${own(sql`${workflows}`)} OR ${own(sql`${webhooks}`)})`;
}

function subjectName(id: SQL): SQL<string | null> {
  return sql<string | null>`coalesce((SELECT name FROM ${sources} WHERE id = ${id}),
    (SELECT name FROM ${workflows} WHERE id = ${id}), (SELECT coalesce(name, url) FROM ${webhooks} WHERE id = ${id}))`;
}
