import { REGISTRY, registryComponent } from "#db/components.ts";
import * as store from "#db/published.ts";
import { type ComponentDiff, diffDefinitions, diffFiles } from "#domain/component-diff.ts";
import { notFound } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Component } from "./components.ts";
import type { AppContext } from "./context.ts";
import { filesOf } from "./registry-imports/built.ts";
import { indexPublished } from "./registry.ts";

export type { PublishedVersion, Reader } from "#db/published.ts";

/** The keys that an owner publishes, each with its newest version. */
export function listPublished(
  ctx: Pick<AppContext, "db">,
  owner: OwnerId,
  request: PageRequest,
): Promise<Page<store.PublishedVersion>> {
  return store.pageOfPublished(ctx.db, owner, request);
}

/** All versions of the component that a key resolves to for a reader. */
export async function listVersions(
  ctx: Pick<AppContext, "db">,
  reader: store.Reader,
  request: PageRequest & { key: string },
): Promise<Page<store.PublishedVersion>> {
  const page = await store.pageOfVersions(ctx.db, reader, request);
  if (page.totalCount === 0) throw notFound("component", request.key);
  return page;
}

/** Unpublish a version of an owner. Its deployments continue, and its id stays readable. */
export async function unpublishVersion(
  ctx: Pick<AppContext, "db" | "now">,
  owner: OwnerId,
  name: store.VersionName,
): Promise<void> {
  const existed = await store.unpublishVersion(ctx.db, owner, { ...name, at: ctx.now() });
  if (!existed) throw versionMissing(name);
  const left = owner === REGISTRY ? await registryComponent(ctx.db, name.key) : undefined;
  if (left) await indexPublished(ctx, left);
}

/** Set the deprecation message of an owner's version; null: none. */
export async function deprecateVersion(
  ctx: Pick<AppContext, "db">,
  owner: OwnerId,
  { deprecated, ...name }: store.VersionName & { deprecated: string | null },
): Promise<store.PublishedVersion> {
  const existed = await store.noteDeprecation(ctx.db, owner, { ...name, deprecated });
  const found = existed ? await store.versionOf(ctx.db, owner, name) : undefined;
  if (!found) throw versionMissing(name);
  return found;
}

/** The differences between two versions of the component that a key resolves to for a reader. */
export async function diffVersions(
  ctx: Pick<AppContext, "codeStore" | "db">,
  reader: store.Reader,
  { key, from, to }: { key: string; from: string; to: string },
): Promise<ComponentDiff> {
  const found = await store.versionsNamed(ctx.db, reader, { key, names: [from, to] });
  const named = (version: string) => {
    const component = found.find((one) => one.version === version);
    if (!component) throw versionMissing({ key, version });
    return component;
  };
  const [old, now] = [named(from), named(to)];
  const areWhole = old.filesHash !== null && now.filesHash !== null;
  const [oldFiles, newFiles] = await Promise.all(
    [old, now].map((component) => (areWhole ? filesOf(ctx, component) : codeOf(ctx, component))),
  );
  return {
    ...diffFiles(oldFiles ?? {}, newFiles ?? {}),
    ...diffDefinitions(old.definition, now.definition),
  };
}

/** The file with a component whose other files were not kept. */
async function codeOf(
  ctx: Pick<AppContext, "codeStore">,
  { id, codeHash }: Component,
): Promise<Record<string, string>> {
  const code = await ctx.codeStore.code(codeHash);
  if (code === undefined) throw new Error(`The code of ${id} is not in the code store`);
  return { component: code };
}

function versionMissing({ key, version }: store.VersionName) {
  return notFound("component", `${key}@${version}`);
}
