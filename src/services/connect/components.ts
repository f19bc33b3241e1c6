import { componentById, componentByKey } from "#db/components.ts";
import * as store from "#db/connect/components.ts";
import { type Hit, type HitRequest, resolveQuery } from "#db/registry-search.ts";
import type { Choices } from "#domain/choices.ts";
import type { PropDefinition } from "#domain/definition.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import { isId } from "#domain/ids.ts";
import type { Values } from "#domain/props.ts";
import { queryOf } from "#domain/search.ts";

import type { Component } from "../components.ts";
import type { Context } from "../context.ts";
import { loadOptions, type OptionsInput, reloadProps } from "../prop-evaluation.ts";
import { asExternalUser, type ProjectContext } from "./context.ts";
import { openDynamicProps, sealDynamicProps } from "./dynamic-props.ts";

export type { Component } from "../components.ts";
export type { ComponentType } from "#db/connect/components.ts";
export type { Hit } from "#db/registry-search.ts";

export type ComponentQuery = Pick<store.ComponentFilter, "app" | "registry" | "type"> & {
  q?: string | undefined;
};

/** The component. One of another type than the named one is not found. */
export type ComponentName = {
  keyOrId: string;
  version?: string | undefined;
  type?: store.ComponentType | undefined;
};

/** A component, its external user, and the values so far. */
export type ComponentConfiguration = ComponentName & {
  externalId: string | undefined;
  configuredProps: Values;
  dynamicPropsId?: string | undefined;
};

/** The result of a component, or the reason of its failure. */
export type Evaluated<T> = { value: T; errors: [] } | { value: undefined; errors: [string] };

/** A list of components that external users of a project may use. A query of stop words alone finds nothing. */
export async function listComponents(
  { db, project }: Pick<ProjectContext, "db" | "project">,
  { q = "", ...narrowed }: ComponentQuery,
  request: HitRequest,
): Promise<{ items: Hit[]; totalCount: number }> {
  const query = queryOf(q);
  if (query.words.length === 0 && query.exact !== "") return { items: [], totalCount: 0 };
  const search = query.words.length > 0 ? await resolveQuery(db, query) : undefined;
  return store.pageOfComponents(db, project.ownerId, { filter: { ...narrowed, search }, request });
}

/** A component that external users of a project may use: one of the project's owner, else one of the registry. */
export async function findComponent(
  { db, project: { ownerId } }: Pick<ProjectContext, "db" | "project">,
  { keyOrId, version, type }: ComponentName,
): Promise<Component> {
  const component = await componentNamed(db, ownerId, keyOrId, version);
  const isMeant =
    component &&
    (version === undefined || component.version === version) &&
    (type === undefined || component.definition.type === type);
  if (isMeant) return component;
  const [kind, id] = ["component" as const, version ? `${keyOrId}@${version}` : keyOrId];
  throw notFound(kind, id);
}

function componentNamed(
  db: ProjectContext["db"],
  owner: ProjectContext["project"]["ownerId"],
  keyOrId: string,
  version: string | undefined,
): Promise<Component | undefined> {
  if (isId("component", keyOrId)) return componentById(db, owner, keyOrId);
  return version === undefined
    ? componentByKey(db, { user: owner, first: owner }, keyOrId)
    : store.componentOfVersion(db, owner, { key: keyOrId, version });
}

/** The choices of a prop for an external user. An error of the component itself is among the errors. */
export async function configureProp(
  ctx: ProjectContext,
  input: ComponentConfiguration & OptionsInput & { propName: string },
): Promise<Evaluated<Choices>> {
  const { user, component, configuration } = await configured(ctx, input);
  const { propName, page, prevContext, query } = input;
  return evaluated(
    loadOptions(user, component.id, { ...configuration, propName, page, prevContext, query }),
  );
}

/** All props of a component for an external user, and an id for the added ones. */
export async function reloadComponentProps(
  ctx: ProjectContext,
  input: ComponentConfiguration,
): Promise<Evaluated<{ id: string; props: PropDefinition[] }>> {
  const { user, component, configuration } = await configured(ctx, input);
  const { value: props, errors } = await evaluated(reloadProps(user, component.id, configuration));
  if (!props) return { value: props, errors };
  const declared = new Set(component.definition.props.map(({ name }) => name));
  const added = props.filter(({ name }) => !declared.has(name));
  return { value: { id: await sealDynamicProps(user, component, added), props }, errors };
}

async function configured(
  ctx: ProjectContext,
  { externalId, configuredProps, dynamicPropsId, ...name }: ComponentConfiguration,
): Promise<{
  user: Context;
  component: Component;
  configuration: { configuredProps: Values; dynamicProps: PropDefinition[] };
}> {
  const component = await findComponent(ctx, name);
  const user = await asExternalUser(ctx, externalId);
  const dynamicProps = await openDynamicProps(user, component, dynamicPropsId);
  return { user, component, configuration: { configuredProps, dynamicProps } };
}

/** The codes of refusals for errors of the component itself. */
const OF_COMPONENT = new Set(["invalid_configuration", "upstream_timeout"]);

async function evaluated<T>(evaluation: Promise<T>): Promise<Evaluated<T>> {
  try {
    return { value: await evaluation, errors: [] };
  } catch (error) {
    if (!(error instanceof RequestError) || !OF_COMPONENT.has(error.code)) throw error;
    return { value: undefined, errors: [error.message] };
  }
}
