import type { SourceFiles } from "#bundler/contract.ts";
import * as store from "#db/components.ts";
import type { ComponentDefinition } from "#domain/definition.ts";
import { invalidInput, notFound, type RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type ActorId, type Id, isId, newId, type OwnerId } from "#domain/ids.ts";
import { EMPTY_LOCKFILE, type Lockfile } from "#domain/lockfile.ts";

import { ownerFor } from "./access.ts";
import { componentFiles, type ComponentCode } from "./component-files.ts";
import type { AppContext, Context } from "./context.ts";
import { evaluate } from "./evaluation.ts";
import { filesHashOf, keepFiles } from "./registry-imports/built.ts";

export type Component = store.Component;
/** Only a published component has a description and a license. */
export type ComponentWithCode = Component & Partial<store.Publication> & { code: string };

export type NewComponent = ComponentCode & { workspace?: Id<"workspace"> | undefined };

export async function saveComponent(
  ctx: Context,
  { workspace, ...given }: NewComponent,
): Promise<ComponentWithCode> {
  const owner = await ownerFor(ctx, workspace);
  const author = { owner, user: ctx.actor.id };
  const files = await componentFiles(ctx, owner, given);
  if (files === undefined) throw codeMissing();
  const component = await prepareComponent(ctx, author, files, given.url);
  await store.insertComponent(ctx.db, component);
  return withCode(ctx, component);
}

/** Refuse a request without code. */
export function codeMissing(): RequestError {
  const message = "it, component_files or component_url is required";
  return invalidInput([{ path: "component_code", message }]);
}

/** The owner and the author of a new component. */
export type Author = { owner: OwnerId; user: ActorId };

/**
 * Build a component from code: bundled, evaluated and in the code store, but not saved yet. Refuses code that does not
 * bundle or evaluate, and then stores nothing. `open` opens the isolate that evaluates it.
 */
export async function prepareComponent(
  ctx: AppContext,
  { owner, user }: Author,
  files: SourceFiles,
  url: string | undefined,
  open = ctx.evaluator,
): Promise<Component> {
  const { bundle, definition, warnings } = await evaluate(ctx, owner, files, open);
  ctx.warnings.push(...warnings);
  const code = files.files[files.entry] ?? "";
  const codeHash = await sha256Hex(code);
  // One file is its own code.
  const filesHash = Object.keys(files.files).length > 1 ? await filesHashOf(files) : null;
  await Promise.all([
    ctx.codeStore.putCode(codeHash, code),
    ctx.codeStore.putBundle(bundle),
    filesHash && keepFiles(ctx, filesHash, files),
  ]);
  const hashes = { codeHash, bundleHash: bundle.hash, filesHash };
  return newComponent({ owner, user }, { definition, hashes, url, at: ctx.now() });
}

/** The location of a component's code in the code store. */
type CodeHashes = Pick<Component, "bundleHash" | "codeHash" | "filesHash">;

/** A component as it is saved. `at`: epoch seconds. */
export function newComponent(
  { owner, user }: Author,
  made: {
    definition: ComponentDefinition;
    hashes: CodeHashes;
    url: string | undefined;
    at: number;
  },
): Component {
  const { definition, hashes, url, at } = made;
  return {
    id: newId("component"),
    ownerId: owner,
    userId: user,
    key: definition.key ?? null,
    name: definition.name,
    version: definition.version,
    ...hashes,
    url: url ?? null,
    definition,
    createdAt: at,
    updatedAt: at,
  };
}

/** The packages that a component was bundled with. */
export async function lockfileOf(
  ctx: Pick<AppContext, "codeStore">,
  { bundleHash }: Component,
): Promise<Lockfile> {
  return (await ctx.codeStore.lockfile(bundleHash)) ?? EMPTY_LOCKFILE;
}

/** The component of an id, or the newest of a key: of the named workspace or the actor, else the registry's. */
export async function getComponent(
  ctx: Pick<Context, "actor" | "codeStore" | "db" | "payer" | "workspace">,
  keyOrId: string,
): Promise<ComponentWithCode> {
  return withCode(ctx, await componentFor(ctx, keyOrId));
}

export async function getRegistryComponent(
  ctx: Pick<AppContext, "codeStore" | "db">,
  key: string,
): Promise<ComponentWithCode> {
  const component = await store.registryComponent(ctx.db, key);
  if (!component) throw notFound("component", key);
  return withCode(ctx, component);
}

/** The result of `getComponent`, without its code. */
export async function componentFor(
  ctx: Pick<Context, "actor" | "db" | "payer" | "workspace">,
  keyOrId: string,
): Promise<Component & store.Publication> {
  const user = ctx.payer ?? ctx.actor.id;
  const component = isId("component", keyOrId)
    ? await store.componentById(ctx.db, user, keyOrId)
    : await store.componentByKey(ctx.db, { user, first: ctx.workspace ?? user }, keyOrId);
  if (!component) throw notFound("component", keyOrId);
  return component;
}

async function withCode(
  ctx: Pick<AppContext, "codeStore">,
  component: Component & Partial<store.Publication>,
): Promise<ComponentWithCode> {
  const code = await ctx.codeStore.code(component.codeHash);
  if (code === undefined)
    throw new Error(`The code ${component.codeHash} of ${component.id} is not in the code store`);
  return { ...component, code };
}
