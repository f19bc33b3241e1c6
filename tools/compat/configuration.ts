import { failureIn } from "./refusal.ts";
import { type Trial, Troubled } from "./subject.ts";
import { isNeeded, type Prop, valueFor } from "./values.ts";

/** The limit for forms that grow with each value. */
const MAX_ROUNDS = 6;

type Values = Record<string, unknown>;

/** Fill in a component's props as a user of a form does: load choices, and fill in added props too. */
export async function configure(trial: Trial): Promise<Values> {
  const values: Values = { ...trial.fixtures?.props };
  let props = trial.component.configurable_props;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missing = props.filter((prop) => isNeeded(prop) && !Object.hasOwn(values, prop.name));
    noteLeftOut(trial, props, values);
    if (round > 0 && missing.length === 0) return values;
    for (const prop of missing) {
      const value = await valueOf(trial, prop, values);
      if (value !== undefined) values[prop.name] = value;
    }
    props = await reloaded(trial, props, values);
  }
  return values;
}

function noteLeftOut({ leftOut }: Trial, props: readonly Prop[], values: Values): void {
  for (const { name, optional } of props)
    if (optional === true && !Object.hasOwn(values, name)) leftOut.add(name);
}

async function valueOf(trial: Trial, prop: Prop, values: Values): Promise<unknown> {
  const account = prop.type === "app" ? await accountFor(trial, prop) : undefined;
  const options = prop["remoteOptions"] === true ? await optionsOf(trial, prop, values) : [];
  if (options.length > 0) trial.offered.set(prop.name, options[0]);
  return valueFor(prop, { account, dataStore: trial.lane.dataStore }, options);
}

/** An account of an app, unless the attempt is without accounts. */
async function accountFor(
  { lane, credentials, signal }: Trial,
  prop: Prop,
): Promise<string | undefined> {
  if (!credentials) return undefined;
  const body = { owner_id: lane.owner, app: prop["app"], name: "Compat", credentials };
  const { data, status } = await lane.operator.call<{ id: string }>("POST", "/accounts", {
    body,
    signal,
  });
  return status === 200 ? data.id : undefined;
}

async function optionsOf(
  { lane, component, signal }: Trial,
  { name }: Prop,
  values: Values,
): Promise<unknown[]> {
  const path = `/components/${component.id}/options`;
  const body = { prop_name: name, configured_props: values };
  const response = await lane.user.call<{ options: { value: unknown }[] }>("POST", path, {
    body,
    signal,
  });
  if (response.status === 200) return response.data.options.map(({ value }) => value);
  throw new Troubled("options", failureIn(response));
}

async function reloaded(
  { lane, component, signal }: Trial,
  props: Prop[],
  values: Values,
): Promise<Prop[]> {
  const path = `/components/${component.id}/props`;
  const body = { configured_props: values, dynamic_props: props };
  const response = await lane.user.call<{ configurable_props: Prop[] }>("POST", path, {
    body,
    signal,
  });
  if (response.status === 200) return response.data.configurable_props;
  throw new Troubled("props", failureIn(response));
}
