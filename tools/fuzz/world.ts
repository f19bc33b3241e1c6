import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";

const MARK = "\u27e6";

/** The number of stored values of each kind. */
const REMEMBERED = 40;

/** A value known only when the request is sent: the id of a resource that exists by then, or did. */
export function known(kind: string): Arbitrary<string> {
  return fc.nat(REMEMBERED).map((index) => `${MARK}${kind}${MARK}${index}`);
}

/** The resources on the platform, taken from its responses. */
export class World {
  readonly #pools = new Map<string, string[]>();

  /** Store the ids, cursors and event ids of a response. */
  record(text: string): void {
    for (const [, id = "", prefix = ""] of text.matchAll(/"(([a-z]{1,4})_[\w-]{8,90})"/g))
      this.add(prefix, id);
    for (const [, id = ""] of text.matchAll(/"(\d{13}-\d{1,3})"/g)) this.add("event", id);
    for (const [, cursor = ""] of text.matchAll(/_cursor":"([^"]+)"/g)) this.add("cursor", cursor);
  }

  /** Forget deleted resources: requests rarely use them again. */
  forget(sent: string): void {
    for (const [, id = "", prefix = ""] of sent.matchAll(/\/(([a-z]{1,4})_[\w-]{8,90})/g)) {
      const pool = this.#pools.get(prefix) ?? [];
      this.#pools.set(
        prefix,
        pool.filter((one) => one !== id),
      );
    }
  }

  /** Replace each placeholder from `known` by a current value, at any depth. */
  fill(value: unknown): unknown {
    if (typeof value === "string") return this.#named(value);
    if (Array.isArray(value)) return value.map((part) => this.fill(part));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, part]) => [name, this.fill(part)] as const);
    return Object.fromEntries(entries);
  }

  /** Store a value of a kind, as the latest. */
  add(kind: string, value: string): void {
    const pool = this.#pools.get(kind) ?? [];
    if (pool.includes(value)) return;
    this.#pools.set(kind, [value, ...pool].slice(0, REMEMBERED));
  }
  #named(text: string): string {
    const [before, kind, index] = text.split(MARK);
    if (before !== "" || kind === undefined) return text;
    const pool = this.#pools.get(kind) ?? [];
    return pool[Number(index) % pool.length] ?? `${kind}_0000000000000000000000`;
  }
}
