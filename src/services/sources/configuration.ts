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
import { checkAccounts } from "../accounts.ts";
import type { Platform } from "../context.ts";
import { checkStores } from "../data-stores.ts";
import { incomplete } from "../evaluation.ts";
import { type Asked, askForProps } from "../questions.ts";

/** The props of a source, additional ones included, and their values. */
export type Configuration = { props: PropDefinition[]; values: Values };

/**
 * Check what a caller gives for a component's props, laid over what the source already has. The values decide which
 * props `additionalProps` adds, so a dynamic component is asked in between. `computed` props get their values later.
 */
export async function configure(
  ctx: Platform,
  target: Omit<Asked, "values"> & { computed?: ReadonlySet<string> },
  { stored, given }: { stored: Values; given: Values },
): Promise<Configuration> {
  const { definition } = target.component;
  let { props } = definition;
  if (definition.dynamic) {
    const values = accepted(
      checkDeclared(notAsked(props, target.computed), { ...stored, ...given }),
    );
    ({ props } = await askForProps(ctx, { ...target, values }, "configuration"));
  }
  const issues = missingRun({ ...definition, props });
  if (issues) throw incomplete(issues, "component.js");
  const values = accepted(
    checkProps(notAsked(props, target.computed), mergeValues(props, stored, given)),
  );
  await checkStores(ctx, target.owner, { props, values });
  await checkAccounts(ctx, target.owner, { props, values, given });
  return { props, values };
}

/** Props as they are checked where some are computed later: those need no value now. */
function notAsked(
  props: PropDefinition[],
  computed: ReadonlySet<string> | undefined,
): PropDefinition[] {
  if (!computed) return props;
  return props.map((prop) => (computed.has(prop.name) ? { ...prop, optional: true } : prop));
}

/** The values, or a refusal that names every rule they break. */
export function accepted(verdict: PropsVerdict): Values {
  if (!verdict.ok) throw invalidInput(verdict.issues);
  return verdict.values;
}
