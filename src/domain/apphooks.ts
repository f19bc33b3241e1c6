import { chosenAccounts } from "./accounts.ts";
import { APPHOOK, type PropDefinition } from "./definition.ts";
import type { Id } from "./ids.ts";
import type { Json } from "./json.ts";
import type { Values } from "./props.ts";

/** By account: the names of the provider's events that trigger a source; an empty list: every event. */
export type Apphooks = Record<Id<"account">, string[]>;

/** A provider's event for one account, or for all accounts with an id at the provider. */
export type ProviderEvent = {
  app: string;
  accountId: Id<"account"> | null;
  externalId: string | null;
  /** An event may have several names: a reaction, and a reaction in a certain channel. */
  names: string[];
  /** JSON text. */
  payload: string;
};

/**
 * The provider's events that trigger a source, by its `$.interface.apphook` props: `appProp` names the prop with the
 * account, `eventNames` and `static` name the events.
 */
export function apphooksOf(props: readonly PropDefinition[], values: Values): Apphooks {
  const accounts = new Map(
    chosenAccounts(props, values).map(({ prop, accountId }) => [prop, accountId]),
  );
  const hooks: Apphooks = {};
  for (const { type, appProp, eventNames, static: fixed } of props) {
    const account = typeof appProp === "string" ? accounts.get(appProp) : undefined;
    if (type !== APPHOOK || account === undefined) continue;
    const names = [...textsIn(eventNames), ...textsIn(fixed)];
    hooks[account] = both(hooks[account] ?? names, names);
  }
  return hooks;
}

/** The union of two lists of names; an empty list matches everything. */
function both(one: string[], other: string[]): string[] {
  return one.length === 0 || other.length === 0 ? [] : [...new Set([...one, ...other])];
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
