import { ALL_EMITTERS, type Route } from "#domain/routes.ts";

/** Maximum duration of a change. Then it expires: the request that began it crashed. */
const CHANGE_LASTS_MS = 60_000;

/** Time for which routes are cached: a bound on the effect of editing D1 by hand. */
const KEPT_MS = 24 * 3600_000;

/** Characters of a list in one row: at most 3 bytes each, of 2 MB. */
const PART_CHARACTERS = 500_000;

/** Reads the routes by some emitters of the owner from D1, in their order. */
export type ReadRoutes = (emitterIds: readonly string[]) => Promise<Route[][]>;

/** The emitters whose routes, while they are read, may be cached. */
type Reading = Set<string>;

/**
 * The cached routes of an owner's emitters. A change begins here before it is written to D1, and ends after: while it
 * is open, its routes are read from D1, and routes that were read before its end are never cached.
 */
export class RouteCache {
  readonly #storage: DurableObjectStorage;
  readonly #readings = new Set<Reading>();

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** JSON of the routes by each of some emitters. Missing ones are read, and cached unless they are being changed. */
  async lookUp(emitterIds: readonly string[], read: ReadRoutes): Promise<string[]> {
    this.#expire(Date.now());
    const open = this.#openChanges();
    const isOpen = (id: string): boolean => open.has(id) || open.has(ALL_EMITTERS);
    const oldestMs = Date.now() - KEPT_MS;
    const found = new Map<string, string>();
    for (const id of emitterIds) {
      const kept = isOpen(id) ? undefined : this.#kept(id, oldestMs);
      if (kept !== undefined) found.set(id, kept);
    }
    const missing = emitterIds.filter((id) => !found.has(id));
    if (missing.length > 0) {
      const reading = new Set(missing.filter((id) => !isOpen(id)));
      const lists = await this.#read(missing, reading, read);
      for (const [id, routes] of lists) found.set(id, JSON.stringify(routes));
    }
    return emitterIds.map((id) => found.get(id) ?? "[]");
  }

  /** Cache nothing of these emitters until the change ends. */
  begin(change: string, emitterIds: readonly string[], nowMs: number): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(
        "INSERT OR REPLACE INTO route_changes (id, began_ms, emitters) VALUES (?, ?, ?)",
        change,
        nowMs,
        JSON.stringify(emitterIds),
      );
      this.#drop(emitterIds);
    });
  }

  /** A change has ended; also one that has expired meanwhile, or was never begun. */
  end(change: string, emitterIds: readonly string[]): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec("DELETE FROM route_changes WHERE id = ?", change);
      this.#drop(emitterIds);
    });
  }

  /** End the changes that have expired. */
  #expire(nowMs: number): void {
    const expired = this.#storage.sql
      .exec<{ id: string; emitters: string }>(
        "SELECT id, emitters FROM route_changes WHERE began_ms <= ?",
        nowMs - CHANGE_LASTS_MS,
      )
      .toArray();
    for (const { id, emitters } of expired) this.end(id, namesIn(emitters));
  }

  #openChanges(): Set<string> {
    const rows = this.#storage.sql
      .exec<{ emitters: string }>("SELECT emitters FROM route_changes")
      .toArray();
    return new Set(rows.flatMap(({ emitters }) => namesIn(emitters)));
  }

  #kept(emitterId: string, oldestMs: number): string | undefined {
    const parts = this.#storage.sql
      .exec<{ routes: string; read_ms: number }>(
        "SELECT routes, read_ms FROM routes WHERE emitter_id = ? ORDER BY part",
        emitterId,
      )
      .toArray();
    const [first] = parts;
    if (!first || first.read_ms < oldestMs) return undefined;
    if (parts.length === 1) return first.routes;
    return JSON.stringify(parts.flatMap(({ routes }): Route[] => JSON.parse(routes)));
  }

  async #read(
    emitterIds: readonly string[],
    reading: Reading,
    read: ReadRoutes,
  ): Promise<[string, Route[]][]> {
    this.#readings.add(reading);
    try {
      const lists = await read(emitterIds);
      const found = emitterIds.map((id, index): [string, Route[]] => [id, lists[index] ?? []]);
      // A change that expired while this object was not in memory voids this reading, too.
      this.#expire(Date.now());
      this.#storage.transactionSync(() => {
        for (const [id, routes] of found) if (reading.has(id)) this.#keep(id, routes, Date.now());
      });
      return found;
    } finally {
      this.#readings.delete(reading);
    }
  }

  #keep(emitterId: string, routes: readonly Route[], nowMs: number): void {
    const { sql } = this.#storage;
    sql.exec("DELETE FROM routes WHERE emitter_id = ?", emitterId);
    for (const [part, some] of partsOf(routes).entries())
      sql.exec(
        "INSERT INTO routes (emitter_id, part, read_ms, routes) VALUES (?, ?, ?, ?)",
        emitterId,
        part,
        nowMs,
        `[${some.join()}]`,
      );
  }

  #drop(emitterIds: readonly string[]): void {
    const { sql } = this.#storage;
    const all = emitterIds.includes(ALL_EMITTERS);
    if (all) sql.exec("DELETE FROM routes");
    else for (const id of emitterIds) sql.exec("DELETE FROM routes WHERE emitter_id = ?", id);
    for (const reading of this.#readings)
      if (all) reading.clear();
      else for (const id of emitterIds) reading.delete(id);
  }
}

/** Routes as JSON, in parts that each fit into a row; at least one part. */
function partsOf(routes: readonly Route[]): string[][] {
  const parts: string[][] = [[]];
  let characters = 0;
  for (const route of routes) {
    const text = JSON.stringify(route);
    if (characters > 0 && characters + text.length > PART_CHARACTERS) {
      parts.push([]);
      characters = 0;
    }
    parts.at(-1)?.push(text);
    characters += text.length;
  }
  return parts;
}

function namesIn(json: string): string[] {
  return JSON.parse(json);
}
