import { and, eq } from "drizzle-orm";

import type { Environment } from "#domain/connect.ts";
import type { Id } from "#domain/ids.ts";

import type { Database } from "../client.ts";
import { projectWebhooks } from "../schema/connect.ts";
import { deleteNotificationsOf } from "./notifications.ts";

export type ProjectWebhook = typeof projectWebhooks.$inferSelect;

/** One environment of one project. */
export type Place = { project: Id<"project">; environment: Environment };

export async function projectWebhook(
  db: Database,
  place: Place,
): Promise<ProjectWebhook | undefined> {
  const [webhook] = await db.select().from(projectWebhooks).where(at(place));
  return webhook;
}

/** Store the webhook of an environment. Undefined: there is one already. */
export async function insertProjectWebhook(
  db: Database,
  webhook: ProjectWebhook,
): Promise<ProjectWebhook | undefined> {
  const [inserted] = await db
    .insert(projectWebhooks)
    .values(webhook)
    .onConflictDoNothing()
    .returning();
  return inserted;
}

/** Change a webhook. Undefined: there is none. */
export async function updateProjectWebhook(
  db: Database,
  place: Place,
  change: Partial<Pick<ProjectWebhook, "url" | "signingKey" | "keyId">> & { updatedAt: number },
): Promise<ProjectWebhook | undefined> {
  const [updated] = await db.update(projectWebhooks).set(change).where(at(place)).returning();
  return updated;
}

/** Delete a webhook and its pending notifications. Returns whether it existed. */
export async function deleteProjectWebhook(db: Database, place: Place): Promise<boolean> {
  const [deleted] = await db.batch([
    db.delete(projectWebhooks).where(at(place)).returning(),
    deleteNotificationsOf(db, place),
  ]);
  return deleted.length > 0;
}

/** Replace a signing key by the same one under a new seal. False: it was changed meanwhile. */
export async function resealProjectWebhook(
  db: Database,
  { signingKey, ...place }: Place & Pick<ProjectWebhook, "signingKey">,
  renewed: Pick<ProjectWebhook, "signingKey" | "keyId">,
): Promise<boolean> {
  const updated = await db
    .update(projectWebhooks)
    .set(renewed)
    .where(and(at(place), eq(projectWebhooks.signingKey, signingKey)))
    .returning({ url: projectWebhooks.url });
  return updated.length > 0;
}

function at({ project, environment }: Place) {
  return and(eq(projectWebhooks.projectId, project), eq(projectWebhooks.environment, environment));
}
