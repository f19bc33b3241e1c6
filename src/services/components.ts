import * as store from "../db/components.ts";
import { invalidInput, notFound } from "../domain/errors.ts";
import { sha256Hex } from "../domain/hash.ts";
import { type Id, isId, newId, type OwnerId } from "../domain/ids.ts";
import { ownerFor } from "./access.ts";
import type { Context, Platform } from "./context.ts";
import { evaluate } from "./evaluation.ts";

export type Component = store.Component;
export type ComponentWithCode = Component & { code: string };

/** Code of a component, and where its author says that it comes from. */
export type ComponentCode = { code: string; url?: string | undefined };

export type NewComponent = {
  code?: string | undefined;
  url?: string | undefined;
  workspace?: Id<"workspace"> | undefined;
};

export async function saveComponent(
  ctx: Context,
  { code, url, workspace }: NewComponent,
): Promise<ComponentWithCode> {
  if (code === undefined) throw codeMissing(url);
  const owner = await ownerFor(ctx, workspace);
  const component = await prepareComponent(ctx, owner, { code, url });
  await store.insertComponent(ctx.db, component);
  return { ...component, code };
}

/** Refuse a caller who names no code that could be had. */
export function codeMissing(url: string | undefined) {
  const issue =
    url === undefined
      ? { path: "component_code", message: "it or component_url is required" }
      : {
          path: "component_url",
          message: "fetching code from a URL is not offered yet; send component_code beside it",
        };
  return invalidInput([issue]);
}

/**
 * Make a component of code: bundled, evaluated and in the code store, but not saved yet. Refuses code that does not
 * bundle or evaluate; then nothing of it is kept.
 */
export async function prepareComponent(
  ctx: Context,
  owner: OwnerId,
  { code, url }: ComponentCode,
): Promise<Component> {
  const { bundle, definition } = await evaluate(ctx, owner, { code, url });
  const codeHash = await sha256Hex(code);
  await Promise.all([ctx.codeStore.putCode(codeHash, code), ctx.codeStore.putBundle(bundle)]);
  const at = ctx.now();
  return {
    id: newId("component"),
    ownerId: owner,
    userId: ctx.actor.id,
    key: definition.key ?? null,
    name: definition.name,
    version: definition.version,
    codeHash,
    bundleHash: bundle.hash,
    url: url ?? null,
    definition,
    createdAt: at,
    updatedAt: at,
  };
}

/** The component of an id, or the newest one under a key: the actor's, else the registry's. */
export async function getComponent(ctx: Context, keyOrId: string): Promise<ComponentWithCode> {
  return withCode(ctx, await componentFor(ctx, keyOrId));
}

export async function getRegistryComponent(ctx: Context, key: string): Promise<ComponentWithCode> {
  const component = await store.registryComponent(ctx.db, key);
  if (!component) throw notFound("component", key);
  return withCode(ctx, component);
}

/** What `getComponent` finds, without its code. */
export async function componentFor(ctx: Context, keyOrId: string): Promise<Component> {
  const component = isId("component", keyOrId)
    ? await store.componentById(ctx.db, ctx.actor.id, keyOrId)
    : await store.componentByKey(ctx.db, ctx.actor.id, keyOrId);
  if (!component) throw notFound("component", keyOrId);
  return component;
}

async function withCode(ctx: Platform, component: Component): Promise<ComponentWithCode> {
  const code = await ctx.codeStore.code(component.codeHash);
  if (code === undefined)
    throw new Error(`The code ${component.codeHash} of ${component.id} is not in the code store`);
  return { ...component, code };
}
