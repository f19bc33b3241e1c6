import semver from "semver";

import * as store from "#db/components.ts";
import { pageOfComponents } from "#db/connect/components.ts";
import { indexComponent, unindexedComponents } from "#db/registry-index.ts";
import { type Hit, type HitRequest, resolveQuery } from "#db/registry-search.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { INDEX_VERSION, queryOf, type SearchTerms, termsOf } from "#domain/search.ts";

import { type ComponentCode, componentFiles } from "./component-files.ts";
import {
  codeMissing,
  type Component,
  type ComponentWithCode,
  prepareComponent,
} from "./components.ts";
import type { AppContext } from "./context.ts";
import { incomplete } from "./evaluation.ts";

export type { Hit } from "#db/registry-search.ts";

/**
 * Publish a component globally under its key. Versions are semantic and rise; those that were published before stay
 * readable by their ids.
 */
export async function publishComponent(
  ctx: AppContext,
  given: ComponentCode,
): Promise<ComponentWithCode> {
  const files = await componentFiles(ctx, store.REGISTRY, given);
  if (files === undefined) throw codeMissing();
  const author = { owner: store.REGISTRY, user: store.REGISTRY };
  const component = await prepareComponent(ctx, author, files, given.url);
  const publishable = namedAndVersioned(component, files.entry);
  const { key, version } = publishable;

  const published = await store.registryComponent(ctx.db, key);
  if (published && !semver.gt(version, published.version)) throw notRisen(key, published.version);
  const isFirst = await store.publishComponent(
    ctx.db,
    { component: publishable, terms: termsIn(publishable) },
    published?.version,
  );
  if (!isFirst) throw notRisen(key, "that another request has just published");
  return { ...component, code: files.files[files.entry] ?? "" };
}

/** What a search is narrowed to. */
export type Narrowed = { type?: "source" | "action" | undefined; app?: string | undefined };

/** Components of the registry that match most words of a query, the best first. */
export async function searchComponents(
  { db }: Pick<AppContext, "db">,
  { query: text, ...narrowed }: Narrowed & { query: string },
  request: HitRequest,
): Promise<{ items: Hit[]; totalCount: number }> {
  const query = queryOf(text);
  if (query.words.length === 0)
    throw invalidInput([{ path: "query", message: "must have a word that says what is wanted" }]);
  const filter = {
    ...narrowed,
    search: await resolveQuery(db, query),
    registry: "public" as const,
  };
  return pageOfComponents(db, store.REGISTRY, { filter, request });
}

/** How many components one sweep indexes. */
const INDEXED_A_SWEEP = 50;

/** Let components be found that another release published, or indexed in another way. */
export async function indexRegistry(ctx: Pick<AppContext, "db">): Promise<number> {
  const unindexed = await unindexedComponents(ctx.db, INDEX_VERSION, INDEXED_A_SWEEP);
  for (const component of unindexed) {
    const { key } = component;
    if (key === null) continue;
    const published = { ...component, key };
    await indexComponent(ctx.db, published, termsIn(published));
  }
  return unindexed.length;
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
