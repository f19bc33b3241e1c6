import type { PropDefinition } from "../../domain/definition.ts";
import { missingRun } from "../../domain/described.ts";
import { invalidInput } from "../../domain/errors.ts";
import {
  checkDeclared,
  checkProps,
  mergeValues,
  type PropsVerdict,
  type Values,
} from "../../domain/props.ts";
import type { Platform } from "../context.ts";
import { checkStores } from "../data-stores.ts";
import { incomplete } from "../evaluation.ts";
import { type Asked, askForProps } from "../questions.ts";

/** The props of a source, additional ones included, and their values. */
export type Configuration = { props: PropDefinition[]; values: Values };

/**
 * Check what a caller gives for a component's props, laid over what the source already has. The values decide which
 * props `additionalProps` adds, so a dynamic component is asked in between.
 */
export async function configure(
  ctx: Platform,
  target: Omit<Asked, "values">,
  { stored, given }: { stored: Values; given: Values },
): Promise<Configuration> {
  const { definition } = target.component;
  let { props } = definition;
  if (definition.dynamic) {
    const values = accepted(checkDeclared(props, { ...stored, ...given }));
    ({ props } = await askForProps(ctx, { ...target, values }));
  }
  const issues = missingRun({ ...definition, props });
  if (issues) throw incomplete(issues, "component.js");
  const values = accepted(checkProps(props, mergeValues(props, stored, given)));
  await checkStores(ctx, target.owner, { props, values });
  return { props, values };
}

/** The values, or a refusal that names every rule they break. */
export function accepted(verdict: PropsVerdict): Values {
  if (!verdict.ok) throw invalidInput(verdict.issues);
  return verdict.values;
}
