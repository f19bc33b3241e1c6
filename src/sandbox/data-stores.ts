import { RpcTarget } from "cloudflare:workers";

import { readStoreRequest, type StoreReply, type StoreRequest } from "#domain/data-store.ts";
import { DATA_STORE, type PropDefinition } from "#domain/definition.ts";
import { type Id, isId } from "#domain/ids.ts";
import type { Json } from "#domain/json.ts";
import type { Values } from "#domain/props.ts";

import type { DataStores } from "./user-code.ts";

/** The part of a data store's interface that components may use. */
export type StoreControl = { perform(request: StoreRequest): Promise<StoreReply> };

/** The configured data stores of a component, by the name of each prop. */
class GrantedStores extends RpcTarget implements DataStores {
  readonly #stores: ReadonlyMap<string, StoreControl>;

  constructor(stores: ReadonlyMap<string, StoreControl>) {
    super();
    this.#stores = stores;
  }

  async perform(prop: string, request: unknown): Promise<StoreReply> {
    const store = this.#stores.get(prop);
    if (!store) return { ok: false, message: `No data store was chosen for ${prop}` };
    // Returning the reply without a copy would keep the call to the store open for ever.
    const reply = await store.perform(readStoreRequest(request));
    return { ...reply };
  }
}

type Typed = Pick<PropDefinition, "name" | "type">;

/**
 * The capability to use the data stores in a component's props; undefined if there are none. An isolate gets only this:
 * ids stay outside.
 */
export function grantStores(
  storeOf: (id: Id<"data_store">) => StoreControl,
  props: readonly Typed[],
  values: Values,
): DataStores | undefined {
  const chosen = props.flatMap(({ name, type }): [string, StoreControl][] => {
    const id = type === DATA_STORE ? values[name] : undefined;
    return isStoreId(id) ? [[name, storeOf(id)]] : [];
  });
  return chosen.length === 0 ? undefined : new GrantedStores(new Map(chosen));
}

/** Configured values for an isolate: they state that a store is set, not which one. */
export function withoutStoreIds(props: readonly Typed[], values: Values): Values {
  const chosen = props.filter(({ name, type }) => type === DATA_STORE && isStoreId(values[name]));
  return { ...values, ...Object.fromEntries(chosen.map(({ name }) => [name, true])) };
}

function isStoreId(value: Json | undefined): value is Id<"data_store"> {
  return typeof value === "string" && isId("data_store", value);
}
