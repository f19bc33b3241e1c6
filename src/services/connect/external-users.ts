import * as store from "#db/connect/external-users.ts";
import { RequestError } from "#domain/errors.ts";
import { isId, type OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { endRevokedSubscriptions } from "../agents/subscriptions/end.ts";
import type { ProjectContext } from "./context.ts";
import { endDeparture } from "./departures.ts";

export type { ExternalUser } from "#db/connect/external-users.ts";

/** The external users of an environment, newest first. */
export function listExternalUsers(
  { db, project, environment }: Pick<ProjectContext, "db" | "environment" | "project">,
  request: PageRequest & { q?: string | undefined },
): Promise<Page<store.ExternalUser>> {
  return store.pageOfExternalUsers(db, { project: project.id, environment }, request);
}

/** The customer's ids of those owners that are external users, by owner id. */
export function externalIdsOf(
  { db }: Pick<ProjectContext, "db">,
  owners: readonly OwnerId[],
): Promise<Map<string, string>> {
  const ids = new Set(owners.filter((owner) => isId("external_user", owner)));
  return store.externalIdsOf(db, [...ids]);
}

/** Delete an external user, who is hidden at once; the sweep deletes the user's sources and accounts. */
export async function deleteExternalUser(ctx: ProjectContext, externalId: string): Promise<void> {
  const { db, now, project, environment } = ctx;
  const place = { project: project.id, environment };
  const hidden = await store.hideExternalUser(db, place, { externalId, at: now() });
  if (!hidden) throw new RequestError("not_found", `No external user with id ${externalId}`);
  await endRevokedSubscriptions(ctx, { of: "ownerId", id: hidden.id });
  await endDeparture(ctx, hidden.id);
}
