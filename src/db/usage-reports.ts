import { eq, type SQL, sql } from "drizzle-orm";

import type { PayerUsage } from "#domain/billing.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import { NO_QUOTAS, type QuotaState } from "#domain/quotas.ts";

import type { Database } from "./client.ts";
import { addedHours, newHours, RAISED_HOURS, reportedTotal } from "./hours.ts";
import { payerOf, termsQuery } from "./owners.ts";
import { externalUsers, projects } from "./schema/connect.ts";
import { dataStores, ownerUsage, usage, webhooks } from "./schema/tables.ts";
import { ADDED_TO_OWNER, NOTHING, usedOn } from "./usage.ts";

/**
 * Add the totals of a payer's emitters and webhooks in one round trip. Totals that are no higher than the stored ones
 * change nothing; those of a deleted webhook are dropped. Returns the payer's usage of today and quotas.
 */
export async function recordUsage(
  db: Database,
  { payerId, emitters, webhooks: senders }: PayerUsage,
  today: string,
): Promise<QuotaState> {
  const ofEmitters = reported(
    emitters.flatMap(({ days, ...emitter }) => days.map((day) => ({ ...emitter, ...day }))),
  );
  const ofWebhooks = reported(
    senders.flatMap(({ days, webhookId }) => days.map((day) => ({ webhookId, ...day }))),
  );
  const [, , , , [used], [quotas]] = await db.batch([
    raiseOwners(db, payerId, ofEmitters),
    raiseEmitters(db, payerId, ofEmitters),
    raiseOwnersOfWebhooks(db, ofWebhooks),
    raiseWebhooks(db, ofWebhooks),
    usedOn(db, payerId, today),
    termsQuery(db, payerId),
  ]);
  return { used: used ?? NOTHING, quotas: quotas ?? NO_QUOTAS };
}

/** The payer of an owner, and the project of an external user. */
export async function payerAndProject(
  db: Database,
  owner: OwnerId,
): Promise<{ payerId: OwnerId; projectId: Id<"project"> | null }> {
  const [found] = await db
    .select({ payerId: sql<OwnerId>`${payerOf(owner)}`, projectId: externalUsers.projectId })
    .from(externalUsers)
    .where(eq(sql`${externalUsers.id}`, owner));
  return found ?? { payerId: owner, projectId: null };
}

/** The owner of a data store; undefined: it was deleted. */
export async function ownerOfDataStore(
  db: Database,
  id: Id<"data_store">,
): Promise<OwnerId | undefined> {
  const [store] = await db
    .select({ ownerId: dataStores.ownerId })
    .from(dataStores)
    .where(eq(dataStores.id, id));
  return store?.ownerId;
}

/** The owner of a webhook; undefined: it was deleted. */
export async function ownerOfWebhook(
  db: Database,
  id: Id<"webhook">,
): Promise<OwnerId | undefined> {
  const [found] = await db
    .select({ ownerId: webhooks.ownerId })
    .from(webhooks)
    .where(eq(webhooks.id, id));
  return found?.ownerId;
}

/** For an expression: reported days, one a row. */
function reported(days: readonly object[]): SQL {
  return sql`json_each(${JSON.stringify(days)}) AS reported`;
}

const DAY = sql`reported.value ->> 'day'`;

/**
 * Add the difference to the stored totals of emitters to the payer's and the projects' days. It runs before those are
 * updated.
 */
function raiseOwners(db: Database, payerId: OwnerId, days: SQL) {
  return db
    .insert(ownerUsage)
    .select(
      sql`SELECT iif(share.is_payer, ${payerId}, reported.value ->> 'projectId'), ${DAY},
          (reported.value ->> 'invocations') - coalesce(${usage.invocations}, 0),
          (reported.value ->> 'computeMs') - coalesce(${usage.computeMs}, 0),
          (reported.value ->> 'credits') - coalesce(${usage.credits}, 0),
          ${newHours()}
        FROM ${days}
        JOIN (SELECT 1 AS is_payer UNION ALL SELECT 0) AS share
          ON share.is_payer OR reported.value ->> 'projectId' IS NOT NULL
        LEFT JOIN ${usage} ON ${usage.ownerId} = ${payerId}
          AND ${usage.day} = ${DAY} AND ${usage.emitterId} = reported.value ->> 'emitterId'
        WHERE (reported.value ->> 'invocations') + (reported.value ->> 'computeMs')
          > coalesce(${usage.invocations} + ${usage.computeMs}, 0)`,
    )
    .onConflictDoUpdate(ADDED_TO_OWNER);
}

function raiseEmitters(db: Database, payerId: OwnerId, days: SQL) {
  return db
    .insert(usage)
    .select(
      // Without a WHERE, SQLite parses the ON of the conflict as that of a join.
      sql`SELECT ${payerId}, ${DAY}, reported.value ->> 'emitterId', reported.value ->> 'invocations',
          reported.value ->> 'computeMs', reported.value ->> 'credits', reported.value -> 'hours',
          ${reportedTotal("failures")}, ${reportedTotal("events")}
        FROM ${days} WHERE true`,
    )
    .onConflictDoUpdate({
      target: [usage.ownerId, usage.day, usage.emitterId],
      set: {
        invocations: sql`excluded.invocations`,
        computeMs: sql`excluded.compute_ms`,
        credits: sql`excluded.credits`,
        ...RAISED_HOURS,
      },
      // Totals only grow, so their sum shows which of two reports is the later one.
      setWhere: sql`excluded.invocations + excluded.compute_ms
        > ${usage.invocations} + ${usage.computeMs}`,
    });
}

/** For an expression: the payer of a webhook. */
const PAYER_OF_WEBHOOK = sql`coalesce((SELECT ${projects.ownerId} FROM ${externalUsers}
  JOIN ${projects} ON ${projects.id} = ${externalUsers.projectId}
  WHERE ${externalUsers.id} = ${webhooks.ownerId}), ${webhooks.ownerId})`;

const WEBHOOK = sql`JOIN ${webhooks} ON ${webhooks.id} = reported.value ->> 'webhookId'`;

/**
 * Add the difference to the stored attempts of webhooks to the hours of their payers. It runs before those are updated.
 */
function raiseOwnersOfWebhooks(db: Database, days: SQL) {
  return db
    .insert(ownerUsage)
    .select(
      sql`SELECT ${PAYER_OF_WEBHOOK}, ${DAY}, 0, 0, 0, ${newHours()} FROM ${days} ${WEBHOOK}
        LEFT JOIN ${usage} ON ${usage.ownerId} = ${PAYER_OF_WEBHOOK}
          AND ${usage.day} = ${DAY} AND ${usage.emitterId} = ${webhooks.id}
        WHERE (reported.value ->> 'attempts') > coalesce(${usage.invocations}, 0)`,
    )
    .onConflictDoUpdate({
      target: [ownerUsage.ownerId, ownerUsage.day],
      set: { hours: addedHours() },
    });
}

function raiseWebhooks(db: Database, days: SQL) {
  return db
    .insert(usage)
    .select(
      sql`SELECT ${PAYER_OF_WEBHOOK}, ${DAY}, ${webhooks.id}, reported.value ->> 'attempts', 0, 0,
          reported.value -> 'hours', ${reportedTotal("failedDeliveries")}, 0
        FROM ${days} ${WEBHOOK} WHERE true`,
    )
    .onConflictDoUpdate({
      target: [usage.ownerId, usage.day, usage.emitterId],
      set: { invocations: sql`excluded.invocations`, ...RAISED_HOURS },
      setWhere: sql`excluded.invocations > ${usage.invocations}`,
    });
}
