import type { Api } from "../api.ts";
import { isInteractive } from "../terminal/output.ts";
import type { Component, Prop } from "../wire.ts";
import { missingIn, refuseMissing, type Values, valuesOf } from "./values.ts";

/** Maximum rounds in which props add further props. */
const MAX_ROUNDS = 10;

/**
 * The values of a component's props: the given ones, and on a terminal prompts for the rest, including props that a
 * value adds.
 */
export async function configure(
  api: Api,
  component: Component,
  given: readonly string[],
  known: Values = {},
): Promise<Values> {
  let props: readonly Prop[] = component.configurable_props;
  const values: Values = { ...known };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    Object.assign(values, valuesOf(namedIn(given, props, round), props));
    const missing = missingIn(props, values);
    if (missing.length > 0 && !isInteractive()) refuseMissing(missing);
    Object.assign(values, await promptForAll(api, component, missing, values));
    const more = await addedProps(api, component, props, values);
    if (more.length === props.length) return values;
    props = more;
  }
  return values;
}

/** In the first round, the command line may already name props that are added later. */
function namedIn(given: readonly string[], props: readonly Prop[], round: number): string[] {
  const isDynamic = props.some(({ reloadProps }) => reloadProps);
  const isKnown = (one: string): boolean => props.some(({ name }) => one.startsWith(`${name}=`));
  return given.filter((one) => !isDynamic || round > 0 || isKnown(one));
}

async function promptForAll(
  api: Api,
  component: Component,
  missing: readonly Prop[],
  values: Values,
): Promise<Values> {
  if (missing.length === 0) return {};
  const { promptFor } = await import("./prompt.ts");
  const answers: Values = {};
  for (const prop of missing)
    answers[prop.name] = await promptFor(
      { api, component, values: { ...values, ...answers } },
      prop,
    );
  return answers;
}

async function addedProps(
  api: Api,
  { id }: Component,
  props: readonly Prop[],
  values: Values,
): Promise<readonly Prop[]> {
  const reloads = props.some(({ name, reloadProps }) => reloadProps && values[name] !== undefined);
  if (!reloads) return props;
  const { configurable_props: all } = await api.data<{ configurable_props: Prop[] }>(
    "POST",
    `/components/${id}/props`,
    { body: { configured_props: values } },
  );
  return all;
}
