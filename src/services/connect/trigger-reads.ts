import * as store from "#db/connect/deployed-triggers.ts";
import type { PropDefinition } from "#domain/definition.ts";
import { RequestError } from "#domain/errors.ts";
import { type Id, isId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Context } from "../context.ts";
import { asKnownUser, type ProjectContext } from "./context.ts";

/** A trigger with the component that it runs. */
export type Trigger = store.Trigger & {
  component: { key: string | null; props: PropDefinition[] };
};

/** The triggers of an external user, newest first; of all users where a server names none. */
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

/** A trigger of an external user, and the context in which services act for the user. */
export async function getTrigger(
  ctx: ProjectContext,
  externalId: string | undefined,
  id: string,
): Promise<{ user: Context; trigger: Trigger }> {
  const user = await asKnownUser(ctx, externalId);
  if (!user || !isId("source", id)) throw unknown(id);
  return { user, trigger: await triggerOf(ctx, user, id) };
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
  return triggers.map((trigger) => {
    const component = known?.get(trigger.source.componentId);
    const { key = null, definition } = component ?? {};
    return { ...trigger, component: { key, props: definition?.props ?? [] } };
  });
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
