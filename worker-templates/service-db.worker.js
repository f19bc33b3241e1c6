import { jsonOf } from "./json.worker.js";

const MAX_VALUE_BYTES = 1024 * 1024;
const MAX_DB_BYTES = 8 * 1024 * 1024;

/**
 * `$.service.db` inside the isolate: synchronous for the component, over a copy from the call. With a host, every write
 * is also sent to it at once; otherwise writes are returned at the end of the call.
 */
export class ServiceDb {
  #given;
  #values;
  #host;
  #charge;
  #written;
  #sent;
  #bytes;

  /**
   * @param {Record<string, string>} stored JSON text by key
   * @param {{ host?: Pick<import("../src/sandbox/user-code.ts").Host, "setDb">, charge?: (bytes: number, what: string) => void }} ways `host` commits each write; `charge` counts the bytes of returned values
   */
  constructor(stored, { host, charge }) {
    this.#given = stored;
    this.#host = host;
    this.#charge = charge;
  }

  // Created on first use: most components have none.
  get #stored() {
    return (this.#values ??= new Map(Object.entries(this.#given)));
  }

  /** A fresh copy of a key's value; undefined if the key does not exist. */
  get(key) {
    const text = this.#stored.get(String(key));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Store a JSON-serializable value; undefined deletes the key. */
  set(key, value) {
    const name = String(key);
    const text = jsonOf(value, `db.set("${name}")`) ?? null;
    this.#account(name, text);
    this.#charge?.(2 * ((text?.length ?? 0) + name.length), "db.set");
    if (text === null) this.#stored.delete(name);
    else this.#stored.set(name, text);
    this.#written ??= new Map();
    this.#written.set(name, text);
    if (this.#host) this.#send(name, text);
  }

  /** The writes to commit when the call ends: JSON text by key, null for deleted keys. */
  writes() {
    return this.#host || !this.#written ? {} : Object.fromEntries(this.#written);
  }

  /** A promise for the pending writes to the host; undefined if there are none. */
  pending() {
    return this.#sent;
  }

  #send(name, text) {
    const sent = this.#sendAfter(this.#sent, name, text).finally(() => {
      if (this.#sent === sent) this.#sent = undefined;
    });
    this.#sent = sent;
  }

  async #sendAfter(earlier, name, text) {
    await Promise.all([earlier, this.#host.setDb(name, text)]);
  }

  #account(name, text) {
    const size = text === null ? 0 : sizeOf(name, text);
    if (size > MAX_VALUE_BYTES)
      throw new RangeError(
        `db.set("${name}"): a value may have at most 1 MB, this one has ${size} bytes`,
      );
    this.#bytes ??= [...this.#stored].reduce((sum, [key, value]) => sum + sizeOf(key, value), 0);
    const old = this.#stored.get(name);
    const bytes = this.#bytes + size - (old === undefined ? 0 : sizeOf(name, old));
    if (bytes > MAX_DB_BYTES)
      throw new RangeError(`db.set("${name}"): the db of a source may have at most 8 MB`);
    this.#bytes = bytes;
  }
}

function sizeOf(key, text) {
  return Buffer.byteLength(key) + Buffer.byteLength(text);
}
