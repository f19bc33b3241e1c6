import { type AccountState, accountStates } from "#db/accounts.ts";
import * as store from "#db/connect/deployed-triggers.ts";
import { chosenAccounts } from "#domain/accounts.ts";
import type { PropDefinition } from "#domain/definition.ts";
import { RequestError } from "#domain/errors.ts";
import { type Id, isId, type OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Context } from "../context.ts";
import { asKnownUser, contextOf, type ProjectContext } from "./context.ts";

/** The reason why a prop has no credentials any more. */
type AccountError = { prop: string; accountId: Id<"account">; error: string };

/** A trigger with the component that it runs, and the errors of its accounts. */
export type Trigger = store.Trigger & {
  component: { key: string | null; props: PropDefinition[] };
  accountErrors: AccountError[];
};

/** The triggers of an external user, newest first; of all users if a server names none. */
export async function listTriggers(
  ctx: ProjectContext,
  externalId: string | undefined,
  request: PageRequest,
): Promise<Page<Trigger & { seq: number }>> {
  const scope = await scopeOf(ctx, externalId);
  if (!scope) return { items: [], totalCount: 0 };
  const { items, totalCount } = await store.pageOfTriggers(ctx.db, scope, request);
  return { items: await withComponents(ctx, items), totalCount };
}

/**
 * A trigger of an external user, and the context in which services act for the user. A user with an API key need not
 * name the external user; a customer's server must, so that a server that forgets it changes nobody's trigger.
 */
export async function getTrigger(
  ctx: ProjectContext,
  externalId: string | undefined,
  id: string,
): Promise<{ user: Context; trigger: Trigger }> {
  if (!isId("source", id)) throw unknown(id);
  const isUnnamed = externalId === undefined && ctx.caller.kind === "user";
  const user = isUnnamed ? await ownerOf(ctx, id) : await asKnownUser(ctx, externalId);
  if (!user) throw unknown(id);
  return { user, trigger: await triggerOf(ctx, user, id) };
}

/** The context of the external user who owns a trigger of this environment. */
async function ownerOf(ctx: ProjectContext, id: Id<"source">): Promise<Context | undefined> {
  const place = { project: ctx.project.id, environment: ctx.environment };
  const ownerId = (await store.triggerIn(ctx.db, place, id))?.source.ownerId;
  return ownerId !== undefined && isId("external_user", ownerId)
    ? contextOf(ctx, { id: ownerId })
    : undefined;
}

/** A trigger of the actor's. */
export async function triggerOf(
  ctx: ProjectContext,
  { actor }: Pick<Context, "actor">,
  id: Id<"source">,
): Promise<Trigger> {
  const place = { project: ctx.project.id, environment: ctx.environment };
  if (!isId("external_user", actor.id)) throw unknown(id);
  const found = await store.triggerIn(ctx.db, { ...place, user: actor.id }, id);
  if (!found) throw unknown(id);
  const [trigger] = await withComponents(ctx, [found]);
  if (!trigger) throw unknown(id);
  return trigger;
}

async function withComponents<T extends store.Trigger>(
  { db }: Pick<ProjectContext, "db">,
  triggers: readonly T[],
): Promise<(T & Trigger)[]> {
  const ids = [...new Set(triggers.map(({ source }) => source.componentId))];
  const known = ids.length === 0 ? undefined : await store.propsOfComponents(db, ids);
  const described = triggers.map((trigger) => {
    const { key = null, definition } = known?.get(trigger.source.componentId) ?? {};
    const props = definition?.props ?? [];
    const chosen = chosenAccounts(props, trigger.source.shownProps);
    return { trigger: { ...trigger, component: { key, props } }, chosen };
  });
  const chosen = described.flatMap((one) => one.chosen.map(({ accountId }) => accountId));
  const states = await accountStates(db, [...new Set(chosen)]);
  return described.map((one) => {
    const { ownerId } = one.trigger.source;
    const accountErrors = one.chosen.flatMap(({ prop, accountId }) => {
      const error = errorOf(states.get(accountId), ownerId);
      return error === undefined ? [] : [{ prop, accountId, error }];
    });
    return { ...one.trigger, accountErrors };
  });
}

function errorOf(state: AccountState | undefined, ownerId: OwnerId): string | undefined {
  if (state?.ownerId !== ownerId) return "the account does not exist any more";
  return state.dead ? (state.error ?? "the grant was revoked") : undefined;
}

async function scopeOf(
  ctx: ProjectContext,
  externalId: string | undefined,
): Promise<store.TriggerScope | undefined> {
  const place = { project: ctx.project.id, environment: ctx.environment };
  if (externalId === undefined && ctx.caller.kind !== "browser") return place;
  const id = (await asKnownUser(ctx, externalId))?.actor.id;
  return id !== undefined && isId("external_user", id) ? { ...place, user: id } : undefined;
}

function unknown(id: string): RequestError {
  return new RequestError("not_found", `No trigger with id ${id}`);
}
