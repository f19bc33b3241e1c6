import semver from "semver";

import * as store from "#db/components.ts";
import { pageOfComponents } from "#db/connect/components.ts";
import type { NotedOutcome } from "#db/registry-import-items.ts";
import { indexComponent, unindexedComponents } from "#db/registry-index.ts";
import { type Hit, type HitRequest, resolveQuery } from "#db/registry-search.ts";
import { insertVersion, versionsTaken } from "#db/registry-versions.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { isAllowed, licenseOf } from "#domain/licenses.ts";
import { INDEX_VERSION, queryOf, type SearchTerms, termsOf } from "#domain/search.ts";

import { type ComponentCode, componentFiles } from "./component-files.ts";
import {
  type Author,
  codeMissing,
  type Component,
  type ComponentWithCode,
  prepareComponent,
} from "./components.ts";
import type { AppContext, UserContext } from "./context.ts";
import { incomplete } from "./evaluation.ts";

export type { Hit } from "#db/registry-search.ts";

/** The publisher of the global registry: the operator. */
export const GLOBAL: Author = { owner: store.REGISTRY, user: store.REGISTRY };

/**
 * Publish a component under its key to the registry of its author's owner. Versions are semantic and increase; earlier
 * ones stay readable by their ids. `license`: the author's statement, else that of its files.
 */
export async function publishComponent(
  ctx: AppContext,
  author: Author,
  { license, ...given }: ComponentCode & { license?: string | undefined },
): Promise<ComponentWithCode> {
  const files = await componentFiles(ctx, author.owner, given);
  if (files === undefined) throw codeMissing();
  const stated = license ?? licenseOf(files.files, files.entry);
  checkLicense(ctx, stated);
  const component = await prepareComponent(ctx, author, files, given.url);
  await publish(ctx, component, { file: files.entry, license: stated });
  const code = files.files[files.entry] ?? "";
  return { ...component, license: stated, deprecated: null, code };
}

/**
 * Publish a prepared component to the registry of its owner. `file`: the file of its definition; `noted`: the outcome
 * of its import, recorded in the same transaction if it is published.
 */
export async function publish(
  ctx: Pick<AppContext, "allowedLicenses" | "db">,
  component: Component,
  { file, license, noted }: { file: string; license: string | null; noted?: NotedOutcome },
): Promise<void> {
  checkLicense(ctx, license);
  const publishable = namedAndVersioned(component, file);
  const { ownerId, key, version } = publishable;

  const taken = await versionsTaken(ctx.db, ownerId, key);
  const newest = taken.find(({ isPublished }) => isPublished);
  if (newest && !semver.gt(version, newest.version)) throw notRisen(key, newest.version);
  const isTaken = taken.some((other) => semver.eq(other.version, version));
  if (isTaken) throw new RequestError("conflict", `version: ${version} of ${key} was unpublished`);
  const made = { seen: taken.length, license, terms: termsIn(publishable), noted };
  const isFirst = await insertVersion(ctx.db, publishable, made);
  if (!isFirst) throw notRisen(key, "that another request has just published");
}

/** The filters of a search. */
export type Narrowed = { type?: "source" | "action" | undefined; app?: string | undefined };

/** Components of the registry, and those of the actor or the workspace, that match most words of a query, the best first. */
export async function searchComponents(
  { db, actor, workspace }: Pick<UserContext, "actor" | "db" | "workspace">,
  { query: text, ...narrowed }: Narrowed & { query: string },
  request: HitRequest,
): Promise<{ items: Hit[]; totalCount: number }> {
  const query = queryOf(text);
  if (query.words.length === 0)
    throw invalidInput([{ path: "query", message: "must have a word besides stop words" }]);
  const filter = {
    ...narrowed,
    search: await resolveQuery(db, query),
    registry: "all" as const,
  };
  return pageOfComponents(db, workspace ?? actor.id, { filter, request });
}

/** Maximum components that one sweep indexes. */
const INDEXED_A_SWEEP = 50;

/** Index components that another release published, or indexed in another way. */
export async function indexRegistry(ctx: Pick<AppContext, "db">): Promise<number> {
  const unindexed = await unindexedComponents(ctx.db, INDEX_VERSION, INDEXED_A_SWEEP);
  for (const component of unindexed) await indexPublished(ctx, component);
  return unindexed.length;
}

/** Index the global registry's component of a key for search. */
export async function indexPublished(
  { db }: Pick<AppContext, "db">,
  component: Component,
): Promise<void> {
  const { key } = component;
  if (key === null) return;
  const published = { ...component, key };
  await indexComponent(db, published, termsIn(published));
}

function checkLicense(
  { allowedLicenses }: Pick<AppContext, "allowedLicenses">,
  license: string | null,
): void {
  if (isAllowed(allowedLicenses, license)) return;
  const named = license === null ? "it states none" : `"${license}"`;
  throw new RequestError("forbidden", `license: ${named}, which is not on this platform's list`);
}

function termsIn({ key, definition }: Component & { key: string }): SearchTerms {
  const { name, description, props } = definition;
  const apps = props.flatMap(({ type, app }) =>
    type === "app" && typeof app === "string" ? [app] : [],
  );
  return termsOf({ key, name, description, apps });
}

function namedAndVersioned(component: Component, file: string): Component & { key: string } {
  const { key, version } = component;
  if (key === null) throw incomplete([{ path: "key", message: "is required" }], file);
  if (semver.valid(version) !== null) return { ...component, key };
  const message = `"${version}" is not a semantic version`;
  throw incomplete([{ path: "version", message }], file);
}

function notRisen(key: string, version: string): RequestError {
  return new RequestError(
    "conflict",
    `version: it must be higher than the version ${version} of ${key}`,
  );
}
