import { apphooksOf } from "#domain/apphooks.ts";
import { withReadsOf } from "#domain/apps.ts";
import { HTTP_INTERFACE, type PropDefinition } from "#domain/definition.ts";
import { invalidInput } from "#domain/errors.ts";
import { missingRun } from "#domain/parse-definition.ts";
import { checkDeclared, checkProps, mergeValues, type Values } from "#domain/props.ts";

import { checkAccounts } from "../accounts.ts";
import type { AppContext } from "../context.ts";
import { checkStores } from "../data-stores.ts";
import { incomplete } from "../evaluation.ts";
import { accepted, type PropContext, evaluateProps } from "../prop-evaluation.ts";
import { requireAccounts } from "../required-accounts.ts";

/** In characters of JSON: beside 1.8 MB of values and definition. */
const MAX_WAKING_LENGTH = 50_000;

/** The props of a source, additional ones included, and their values. */
export type Configuration = { props: PropDefinition[]; values: Values };

/**
 * Check a caller's values for a component's props, merged into those of the source. `additionalProps` depends on the
 * values, so a dynamic component is evaluated in between. `computed` props get their values later.
 */
export async function configure(
  ctx: AppContext,
  target: Omit<PropContext, "values"> & { computed?: ReadonlySet<string> },
  { stored, given }: { stored: Values; given: Values },
): Promise<Configuration> {
  const { definition } = target.component;
  let { props } = definition;
  if (definition.dynamic) {
    const values = accepted(
      checkDeclared(withComputedOptional(props, target.computed), { ...stored, ...given }),
    );
    const evaluated = await evaluateProps(ctx, { ...target, values }, "configuration");
    props = withReadsOf(props, evaluated.props);
  }
  const issues = missingRun({ ...definition, props });
  if (issues) throw incomplete(issues, "component.js");
  const values = accepted(
    checkProps(withComputedOptional(props, target.computed), mergeValues(props, stored, given)),
  );
  refuseTooMany(props, values);
  await checkStores(ctx, target.owner, { props, values });
  await checkAccounts(ctx, target.owner, { props, values, given });
  // A source that already runs without an account may get other changes, above all be deactivated.
  const required = props.filter(
    ({ name }) =>
      !target.computed?.has(name) && (target.source === undefined || Object.hasOwn(given, name)),
  );
  await requireAccounts(ctx, { props: required, values });
  return { props, values };
}

/** The triggers of a source are stored in its row beside its values. */
function refuseTooMany(props: PropDefinition[], values: Values): void {
  const interfaces = props.filter(({ type }) => type === HTTP_INTERFACE);
  const length = JSON.stringify(interfaces.map(({ name }) => name)).length + interfaces.length * 60;
  if (length + JSON.stringify(apphooksOf(props, values)).length <= MAX_WAKING_LENGTH) return;
  const message = "HTTP interfaces and app events are too many to be stored";
  throw invalidInput([{ path: "configured_props", message }]);
}

/** Props for the check: those that are computed later need no value now. */
function withComputedOptional(
  props: PropDefinition[],
  computed: ReadonlySet<string> | undefined,
): PropDefinition[] {
  if (!computed) return props;
  return props.map((prop) => (computed.has(prop.name) ? { ...prop, optional: true } : prop));
}
