import { chosenAccounts } from "#domain/accounts.ts";
import { DATA_STORE, type PropDefinition } from "#domain/definition.ts";
import { RequestError } from "#domain/errors.ts";
import { type AccountChoice, appsOfProps, valuesOfArguments } from "#domain/prop-schema.ts";
import type { Values } from "#domain/props.ts";

import { type Component, componentFor } from "../components.ts";
import { openDynamicProps } from "../connect/dynamic-props.ts";
import { builtComponent } from "../registry-imports/built.ts";
import { accountsFor } from "./accounts.ts";
import { type AgentContext, requireAccount, requireApps } from "./context.ts";

/** A component that an agent may use, its props with those that were added before, and the accounts for them. */
export type OpenComponent = {
  key: string;
  component: Component;
  props: PropDefinition[];
  added: PropDefinition[];
  accounts: AccountChoice[];
};

/** Open an action by its key or id. Refuses one that the token does not reach. */
export function openAction(
  agent: AgentContext,
  keyOrId: string,
  dynamicPropsId?: string,
): Promise<OpenComponent> {
  return openComponent(agent, keyOrId, { type: "action", dynamicPropsId });
}

/** The argument that names an action, and the rule for it. */
type Naming = { path: string; kind: string; listing: string; details?: { kind: "event" } };
const ACTION: Naming = {
  path: "action",
  kind: "action",
  listing: "search finds the keys of actions",
};
const EITHER: Naming = {
  path: "action",
  kind: "action or event type",
  listing: "search finds actions, events/list event types",
};
const EVENT_TYPE: Naming = {
  path: "name",
  kind: "event type",
  listing: "events/list returns the names of event types",
  details: { kind: "event" },
};

/** The error for a name that no component or source has, with the argument and the list of valid names. */
function unknownName({ path, kind, listing, details }: Naming, name: string): RequestError {
  const message = `there is no ${kind} ${name}: ${listing}`;
  const issues = [{ path, message }];
  return new RequestError("not_found", `${path}: ${message}`, { issues, ...details });
}

/** The error for an unknown event type, or one that the agent's owner may not use. */
export function unknownEventType(name: string): RequestError {
  return unknownName(EVENT_TYPE, name);
}

/** The argument by which an agent names a component of a type. */
function namedBy(type: "action" | "source" | undefined): Naming {
  if (type === undefined) return EITHER;
  return type === "action" ? ACTION : EVENT_TYPE;
}

/** Open an action or a source by its key or id; without a type, either. Refuses one that the token does not reach. */
export async function openComponent(
  agent: AgentContext,
  keyOrId: string,
  {
    type,
    dynamicPropsId,
  }: { type?: "action" | "source" | undefined; dynamicPropsId?: string | undefined },
): Promise<OpenComponent> {
  const found = await componentFor(agent, keyOrId).catch((error: unknown) => {
    const isUnknown = error instanceof RequestError && error.code === "not_found";
    throw isUnknown ? unknownName(namedBy(type), keyOrId) : error;
  });
  if (type !== undefined && found.definition.type !== type)
    throw unknownName(namedBy(type), keyOrId);
  requireApps(agent, appsOfProps(found.definition.props));
  const component = await builtComponent(agent, found);
  const declared = component.definition.props;
  const names = new Set(declared.map(({ name }) => name));
  const held = await openDynamicProps(agent, component, dynamicPropsId);
  const added = held.filter(({ name }) => !names.has(name));
  const props = [...declared, ...added];
  const accounts = await accountsFor(agent, appsOfProps(props));
  return { key: component.key ?? component.id, component, props, added, accounts };
}

/** The apps that an action uses; undefined if the agent may use no such action. */
export async function appsOfAction(
  agent: AgentContext,
  key: string,
): Promise<string[] | undefined> {
  const found = await componentFor(agent, key).catch((error: unknown) => {
    if (error instanceof RequestError) return undefined;
    throw error;
  });
  return found?.definition.type === "action" ? appsOfProps(found.definition.props) : undefined;
}

/** The configured props of a component, from an agent's arguments. Refuses accounts outside the token's grant. */
export function configuredBy(
  agent: AgentContext,
  { props, accounts }: Pick<OpenComponent, "accounts" | "props">,
  given: Values,
): Values {
  const values = valuesOfArguments(props, given, accounts);
  admitConfiguration(agent, { props, values: { ...defaultsOf(props), ...values } });
  return values;
}

/**
 * Refuse resources outside a token's grant: apps, accounts, and for a narrowed token, data stores. A component may add
 * props while it is configured, and set defaults of props, so the values of the run itself are checked.
 */
export function admitConfiguration(
  agent: AgentContext,
  { props, values }: { props: readonly PropDefinition[]; values: Values },
): void {
  const { apps, accounts } = agent.grants;
  if (apps === undefined && accounts === undefined) return;
  requireApps(agent, appsOfProps(props));
  for (const { accountId: id, app } of chosenAccounts(props, values))
    requireAccount(agent, { id, app: typeof app === "string" ? app : "" });
  const store = props.find(({ type, name }) => type === DATA_STORE && Object.hasOwn(values, name));
  if (store) throw new RequestError("forbidden", `${store.name}: the token reaches no data stores`);
}

function defaultsOf(props: readonly PropDefinition[]): Values {
  return Object.fromEntries(
    props.flatMap((prop) => {
      const value = prop["default"];
      return value === undefined ? [] : [[prop.name, value] as const];
    }),
  );
}
