import { sourcesHookedBy } from "#db/apphooks.ts";
import type { ProviderEvent } from "#domain/apphooks.ts";
import { invalidInput } from "#domain/errors.ts";
import { newToken } from "#domain/ids.ts";

import { readAccount } from "./accounts.ts";
import type { AppContext } from "./context.ts";

/** The progress of a provider's event. `isDone`: all sources have it; otherwise the others get it later. */
export type Taken = { eventId: string; sources: number; isDone: boolean };

/**
 * Dispatch a provider's event to the sources of the accounts that it concerns. It is durable when this resolves. An
 * event with the same id is the same event.
 */
export async function takeProviderEvent(
  ctx: Pick<AppContext, "apphooks" | "db" | "requestId">,
  { eventId = newToken(), ...event }: ProviderEvent & { eventId?: string | undefined },
): Promise<Taken> {
  const { app, accountId, externalId } = event;
  if (accountId === null && externalId === null)
    throw invalidInput([{ path: "account_id", message: "it or external_id is required" }]);
  if (accountId !== null) {
    const account = await readAccount(ctx, accountId);
    const message = `must be an account for ${app}, not for ${account.app}`;
    if (account.app !== app) throw invalidInput([{ path: "account_id", message }]);
  }
  const [first] = await sourcesHookedBy(ctx.db, event, { after: "", limit: 1 });
  if (first === undefined) return { eventId, sources: 0, isDone: true };
  // Names must be unambiguous: apps have no colon.
  return { eventId, ...(await ctx.apphooks(`${app}:${eventId}`).accept(event, ctx.requestId)) };
}
