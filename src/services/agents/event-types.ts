import type { PropDefinition } from "#domain/definition.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { compileFilter, type Filter, issueOfFilter } from "#domain/filters.ts";
import { type Id, isId } from "#domain/ids.ts";
import { checkDeclared, checkProps, secretProps, type Values } from "#domain/props.ts";

import type { Component } from "../components.ts";
import { accepted } from "../prop-evaluation.ts";
import { getSource } from "../sources/read.ts";
import { configuredBy, openComponent, type OpenComponent, unknownEventType } from "./actions.ts";
import { namingArguments } from "./argument-names.ts";
import type { AgentContext } from "./context.ts";

/** The size of the arguments of an event type, in characters of JSON. */
const MAX_ARGUMENTS = 64_000;

/** The name of the argument that filters events. */
const FILTER = "filter";

/**
 * The arguments of an event type: `filter`, an expression that events have to match (docs/contract.md: Filters), and
 * for a component its props. A component that has a prop of that name takes no expression.
 */
export type EventArguments = Values;

/** The name and arguments of an event type, from the caller. */
export type NamedEventType = { name: string; arguments: EventArguments };

/** A component with the values for a source of it. */
export type ConfiguredComponent = { component: Component; values: Values };

/** An event type that an agent may use: a deployed source, or a component, which may have to be deployed first. */
export type EventType = { filter: string | undefined } & (
  | { source: Id<"source">; configured?: never }
  | { source?: never; configured: ConfiguredComponent }
);

/** Open an event type. Refuses one that the token does not reach, and arguments that break a rule. */
export async function openEventType(
  agent: AgentContext,
  { name, arguments: given }: NamedEventType,
): Promise<EventType> {
  if (JSON.stringify(given).length > MAX_ARGUMENTS)
    throw invalidInput([
      { path: "arguments", message: `may have ${MAX_ARGUMENTS} characters at most` },
    ]);
  return isId("source", name)
    ? { filter: filterIn(given, { isAlone: true }), source: await sourceFor(agent, name) }
    : openConfigured(agent, { name, arguments: given });
}

/** The compiled filter of an event type; undefined: all events pass. */
export function filterOf({ filter }: Pick<EventType, "filter">): Filter | undefined {
  return filter === undefined ? undefined : compileFilter(filter);
}

/**
 * Whether a token is for certain apps or accounts. Such a token reaches no source that may have been changed:
 * its history has events of other code and other accounts.
 */
export function isNarrowed({ grants: { apps, accounts } }: Pick<AgentContext, "grants">): boolean {
  return apps !== undefined || accounts !== undefined;
}

/** Whether agents can provide all required values of a component: they provide no secrets. */
export function mayBeDeployed(props: readonly PropDefinition[]): boolean {
  return !props.some(
    (prop) => prop["secret"] === true && prop["optional"] !== true && prop["default"] === undefined,
  );
}

/** Refuse values of secret props: the arguments of subscriptions are stored unencrypted. */
export function refuseSecrets({
  props,
  values,
}: {
  props: readonly PropDefinition[];
  values: Values;
}): void {
  const secrets = [...secretProps(props)].filter((name) => Object.hasOwn(values, name));
  if (secrets.length > 0)
    throw invalidInput(
      secrets.map((name) => ({ path: `arguments.${name}`, message: SECRET_RULE })),
    );
}

const SECRET_RULE =
  "is a secret, which agents do not give: let the user deploy the source, and subscribe to its id";

async function sourceFor(agent: AgentContext, id: Id<"source">): Promise<Id<"source">> {
  if (isNarrowed(agent))
    throw new RequestError(
      "forbidden",
      "The token is for certain apps or accounts, and reaches no events of deployed sources",
    );
  const { ownerId } = await getSource(agent, id).catch((error: unknown) => {
    const isUnknown = error instanceof RequestError && error.code === "not_found";
    throw isUnknown ? unknownEventType(id) : error;
  });
  if (ownerId !== agent.owner) throw unknownEventType(id);
  return id;
}

async function openConfigured(
  agent: AgentContext,
  { name, arguments: given }: NamedEventType,
): Promise<EventType> {
  if (isId("component", name)) throw unknownEventType(name);
  const opened = await openComponent(agent, name, { type: "source" });
  const { component, props } = opened;
  const { dynamic } = component.definition;
  if (dynamic && isNarrowed(agent)) throw new RequestError("forbidden", DYNAMIC_RULE);
  const takesFilter = !props.some((prop) => prop.name === FILTER);
  const { [FILTER]: filter = null, ...rest } = given;
  const check = dynamic ? checkDeclared : checkProps;
  const values = await namingArguments("arguments", () =>
    accepted(check(props, configuredBy(agent, opened, takesFilter ? rest : given))),
  );
  refuseSecrets({ props, values: given });
  refuseAmbiguous(opened, values);
  return {
    filter: takesFilter ? filterIn({ filter }, { isAlone: false }) : undefined,
    configured: { component, values },
  };
}

/** Refuse an app prop without a value where several accounts would do: the user means one of them. */
function refuseAmbiguous({ props, accounts }: OpenComponent, values: Values): void {
  const ambiguous = props.filter(
    ({ type, app, name, optional }) =>
      type === "app" &&
      optional !== true &&
      !Object.hasOwn(values, name) &&
      accounts.filter((account) => account.app === app).length > 1,
  );
  const message = "is required, because several accounts fit";
  if (ambiguous.length > 0)
    throw invalidInput(ambiguous.map(({ name }) => ({ path: `arguments.${name}`, message })));
}

const DYNAMIC_RULE =
  "The token is for certain apps or accounts, and which ones this component uses depends on its arguments";

/** The filter among some arguments. `isAlone`: there is no other argument. */
function filterIn(
  { [FILTER]: filter = null, ...others }: Values,
  { isAlone }: { isAlone: boolean },
): string | undefined {
  const [other] = Object.keys(others);
  if (isAlone && other !== undefined)
    throw invalidInput([
      { path: `arguments.${other}`, message: "is no argument of this event type" },
    ]);
  if (filter === null || filter === "") return undefined;
  const path = `arguments.${FILTER}`;
  if (typeof filter !== "string") throw invalidInput([{ path, message: "must be a string" }]);
  const issue = issueOfFilter(filter);
  if (issue) throw invalidInput([{ ...issue, path }]);
  return filter;
}
