import * as store from "#db/egress.ts";
import { ownerExists } from "#db/owners.ts";
import { DAY_SECONDS, dayOf, type Egress } from "#domain/billing.ts";
import { notFound } from "#domain/errors.ts";
import { isId, type OwnerId } from "#domain/ids.ts";

import type { AppContext } from "./context.ts";

export type DayEgress = Egress & { day: string };

/** Network usage of the components of a user or a workspace on each of the last days, including today. */
export async function egressOf(
  ctx: Pick<AppContext, "db" | "now">,
  ownerId: OwnerId,
  days: number,
): Promise<DayEgress[]> {
  if (!(await ownerExists(ctx.db, ownerId)))
    throw notFound(isId("user", ownerId) ? "user" : "workspace", ownerId);
  return store.egressOf(ctx.db, ownerId, dayOf(ctx.now() - (days - 1) * DAY_SECONDS));
}
