import { RpcTarget } from "cloudflare:workers";

import type { StoreReply, StoreRequest } from "../../../src/domain/data-store.ts";
import type { DataStores } from "../../../src/sandbox/user-code.ts";

/** JSON text by prop and key. */
export type Records = Record<string, Record<string, string>>;

const PAGE = 100;

/** Data stores in memory, one for each prop. Records do not expire. */
export class TestStores extends RpcTarget implements DataStores {
  readonly #stores: Map<string, Map<string, string>>;

  constructor(records: Records) {
    super();
    const stores = Object.entries(records);
    this.#stores = new Map(stores.map(([prop, store]) => [prop, new Map(Object.entries(store))]));
  }

  async perform(prop: string, request: StoreRequest): Promise<StoreReply> {
    const store = this.#stores.get(prop);
    if (!store) return { ok: false, message: `${prop} is not a data store` };
    return replyOf(store, request);
  }

  /** Their records, outside of the class, because components could call a method. */
  static recordsOf(stores: TestStores): Records {
    const all = [...stores.#stores];
    return Object.fromEntries(all.map(([prop, store]) => [prop, Object.fromEntries(store)]));
  }
}

function replyOf(store: Map<string, string>, request: StoreRequest): StoreReply {
  if (request.op === "list") return page(store, request.after);
  if (request.op === "clear") store.clear();
  if (request.op === "clear") return { ok: true, found: true };
  const { op, key } = request;
  const value = store.get(key);
  if (op === "set") store.set(key, request.value);
  if (op === "delete") store.delete(key);
  return { ok: true, found: value !== undefined, ...(value !== undefined && { value }) };
}

function page(store: Map<string, string>, after: string | null): StoreReply {
  const keys = [...store.keys()].toSorted().filter((key) => after === null || key > after);
  const records = keys.slice(0, PAGE).map((key) => ({ key, value: store.get(key) ?? "null" }));
  return { ok: true, records, isLast: keys.length <= PAGE };
}
