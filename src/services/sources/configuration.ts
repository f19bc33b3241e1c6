import type { PropDefinition } from "../../domain/definition.ts";
import { missingRun } from "../../domain/described.ts";
import { invalidInput } from "../../domain/errors.ts";
import type { OwnerId } from "../../domain/ids.ts";
import { checkProps, mergeValues, type Values } from "../../domain/props.ts";
import { grantStores, withoutStoreIds } from "../../sandbox/data-stores.ts";
import type { Component } from "../components.ts";
import type { Platform } from "../context.ts";
import { checkStores } from "../data-stores.ts";
import { evaluateDynamic, incomplete } from "../evaluation.ts";

/** The props of a source, additional ones included, and their values. */
export type Configuration = { props: PropDefinition[]; values: Values };

/**
 * Check what a caller gives for a component's props, laid over what the source already has. The values decide which
 * props `additionalProps` adds, so a dynamic component is asked in between.
 */
export async function configure(
  ctx: Platform,
  { owner, component }: { owner: OwnerId; component: Component },
  { stored, given }: { stored: Values; given: Values },
): Promise<Configuration> {
  const { definition } = component;
  let { props } = definition;
  if (definition.dynamic) {
    const known = accepted(props, { ...stored, ...given }, "keep");
    const bundle = await ctx.codeStore.bundle(component.bundleHash);
    if (!bundle) throw new Error(`Bundle ${component.bundleHash} is not in the code store`);
    await checkStores(ctx, owner, { props, values: known });
    const stores = grantStores(ctx.dataStores, props, known);
    const seen = withoutStoreIds(props, known);
    ({ props } = await evaluateDynamic(ctx.sandbox(owner, bundle), seen, stores));
  }
  const issues = missingRun({ ...definition, props });
  if (issues) throw incomplete(issues, "component.js");
  const values = accepted(props, mergeValues(props, stored, given), "refuse");
  await checkStores(ctx, owner, { props, values });
  return { props, values };
}

function accepted(
  props: readonly PropDefinition[],
  values: Values,
  undeclared: "refuse" | "keep",
): Values {
  const verdict = checkProps(props, values, undeclared);
  if (!verdict.ok) throw invalidInput(verdict.issues);
  return verdict.values;
}
