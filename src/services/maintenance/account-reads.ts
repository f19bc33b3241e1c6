import { readersOfAllAuth, replaceDefinition } from "#db/account-reads.ts";
import type { Component } from "#db/components.ts";
import type { ComponentDefinition, PropDefinition } from "#domain/definition.ts";
import { RequestError } from "#domain/errors.ts";

import type { AppContext } from "../context.ts";
import { bundleOf, definitionOf } from "../evaluation.ts";
import { storedFiles } from "../registry-imports/built.ts";
import { runPage } from "./paged-task.ts";

/** Maximum components that one sweep describes again. */
const COMPONENTS_A_SWEEP = 20;

/**
 * Describe components again whose code was found to read all credentials of an app: older releases counted code that
 * only lists their names, so that an app without credentials demanded an account. Once.
 */
export function correctAccountReads(ctx: AppContext): Promise<number> {
  return runPage(ctx, {
    name: "account_reads",
    intervalSeconds: Number.POSITIVE_INFINITY,
    async page(position) {
      const stretch = { after: Number(position), length: COMPONENTS_A_SWEEP };
      const components = await readersOfAllAuth(ctx.db, stretch);
      let done = 0;
      for (const component of components) if (await isCorrected(ctx, component)) done += 1;
      const isLast = components.length < COMPONENTS_A_SWEEP;
      return { done, next: isLast ? null : String(components.at(-1)?.seq) };
    },
  });
}

async function isCorrected(ctx: AppContext, component: Component): Promise<boolean> {
  const described = await describedAgain(ctx, component);
  if (!described) return false;
  const { props } = component.definition;
  const corrected = withReadsOf(props, described.props);
  if (JSON.stringify(corrected) === JSON.stringify(props)) return false;
  await replaceDefinition(ctx.db, {
    id: component.id,
    definition: { ...component.definition, props: corrected },
  });
  return true;
}

/** The definition of stored code as this release reads it; undefined if it cannot be read any more. */
async function describedAgain(
  ctx: AppContext,
  component: Component,
): Promise<ComponentDefinition | undefined> {
  const { ownerId: owner, bundleHash } = component;
  try {
    // Built code is described without its files: only errors name them.
    const isBuilt = bundleHash !== "";
    const files = isBuilt
      ? { entry: "component.js", files: {} }
      : await storedFiles(ctx, component);
    const bundle = isBuilt
      ? await ctx.codeStore.bundle(bundleHash)
      : await bundleOf(ctx, { client: owner, files, isForDefinition: true });
    if (!bundle) return undefined;
    return (await definitionOf(ctx, { owner, plan: undefined, bundle, files })).definition;
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

/** Props with the reads of `$auth` of others by the same names, and all else unchanged. */
function withReadsOf(
  props: readonly PropDefinition[],
  others: readonly PropDefinition[],
): PropDefinition[] {
  return props.map((prop) => {
    const other = others.find(({ name }) => name === prop.name);
    if (!other || prop["auth"] === undefined) return prop;
    const { auth: _, ...rest } = prop;
    return other["auth"] === undefined ? rest : { ...rest, auth: other["auth"] };
  });
}
