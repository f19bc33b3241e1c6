import { jsonOf } from "./json.worker.js";

const MAX_VALUE_BYTES = 1024 * 1024;

/**
 * The value of a `data_store` prop. It contains no id and no key: the platform knows the store of the prop in this
 * call, and receives only requests.
 * @param {(request: object) => Promise<object>} perform sends a request to the store of the prop
 */
export function buildDataStore(perform) {
  return new DataStore(perform);
}

class DataStore {
  #perform;

  constructor(perform) {
    this.#perform = perform;
  }

  /** A fresh copy of a key's value; undefined if there is none. */
  async get(key) {
    const { value } = await this.#send({ op: "get", key: keyOf(key) });
    return value === undefined ? undefined : JSON.parse(value);
  }

  /** Store a JSON-serializable value; with `ttl`, for so many seconds. */
  async set(key, value, options) {
    const text = jsonOf(value, "data_store: value") ?? "null";
    if (text.length > MAX_VALUE_BYTES)
      throw new RangeError(
        `data_store: value: a record may have at most 1 MB with its key, this one has ${text.length} characters`,
      );
    await this.#send({ op: "set", key: keyOf(key), value: text, ttl: ttlOf(options?.ttl) });
  }

  /** Set the time to live of a record, in seconds; null: no expiry. Returns whether the record exists. */
  async setTtl(key, ttl) {
    return (await this.#send({ op: "set_ttl", key: keyOf(key), ttl: ttlOf(ttl) })).found;
  }

  async has(key) {
    return (await this.#send({ op: "has", key: keyOf(key) })).found;
  }

  /** Delete a record. Returns whether it existed. */
  async delete(key) {
    return (await this.#send({ op: "delete", key: keyOf(key) })).found;
  }

  async clear() {
    await this.#send({ op: "clear" });
  }

  /** All keys, in order. */
  async keys() {
    const keys = [];
    for await (const { key } of this.#list(true)) keys.push(key);
    return keys;
  }

  /** Pairs of key and value, in the order of keys, fetched page by page. */
  async *[Symbol.asyncIterator]() {
    for await (const { key, value } of this.#list(false)) yield [key, JSON.parse(value)];
  }

  async *#list(keysOnly) {
    let after = null;
    for (;;) {
      const { records, isLast } = await this.#send({ op: "list", after, keysOnly });
      yield* records;
      if (isLast) return;
      after = records.at(-1).key;
    }
  }

  async #send(request) {
    const reply = await this.#perform(request);
    if (!reply.ok) throw new RangeError(`data_store: ${reply.message}`);
    return reply;
  }
}

function keyOf(key) {
  if (typeof key === "string" || typeof key === "number") return String(key);
  throw new TypeError("data_store: key: it must be text");
}

function ttlOf(ttl) {
  if (ttl === undefined || ttl === null) return null;
  if (Number.isFinite(Number(ttl))) return Number(ttl);
  throw new TypeError("data_store: ttl: it must be a number of seconds");
}
