import { RequestError } from "#domain/errors.ts";
import { ALL_EMITTERS, type RouteKey } from "#domain/routes.ts";

import type { Database } from "./client.ts";

/** The caches of routes, by owner. */
export type RouteKeepers = {
  /** From now on these routes are read from D1, until the change ends. */
  begin: (ownerId: string, emitterIds: readonly string[]) => Promise<void>;
  /** They may be cached again, as they are from now on. */
  end: (ownerId: string, emitterIds: readonly string[]) => Promise<void>;
};

/** If an owner has more changed emitters, all of its emitters are named: an object stores no long list. */
const MAX_NAMED = 200;

/**
 * A change of the routes that `routesOf` finds. All queries that change them require one, and only `around` and
 * `ofNewEmitter` create one, so that no query bypasses the caches.
 */
export class RoutesChange {
  readonly db: Database;
  readonly #changed: RouteKey[] = [];

  private constructor(db: Database) {
    this.db = db;
  }

  /** Changes of a new emitter's subscriptions: no cache has them yet. */
  static ofNewEmitter(db: Database): RoutesChange {
    return new RoutesChange(db);
  }

  /**
   * Change subscriptions that are found by some keys. The caches also drop others that the write changed, created
   * between the reading of the keys and the write.
   */
  static async around<T>(
    db: Database,
    { keepers, keys }: { keepers: RouteKeepers; keys: readonly RouteKey[] },
    write: (change: RoutesChange) => Promise<T>,
  ): Promise<T> {
    const change = new RoutesChange(db);
    const scope = byOwner(keys);
    const end = () => each(byOwner([...keys, ...change.#changed]), keepers.end);
    await each(scope, keepers.begin);
    try {
      const written = await write(change);
      await end();
      return written;
    } catch (error) {
      // Any other failure may have been written, or may be yet: then the change stays open until it expires.
      if (error instanceof RequestError) await end();
      throw error;
    }
  }

  /** Record changed subscriptions. */
  note(rows: readonly RouteKey[]): void {
    this.#changed.push(...rows);
  }
}

function byOwner(keys: readonly RouteKey[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  for (const { ownerId, emitterId } of keys) {
    const emitters = owners.get(ownerId) ?? new Set();
    owners.set(ownerId, emitters.add(emitterId));
  }
  return owners;
}

async function each(
  scope: Map<string, Set<string>>,
  work: (ownerId: string, emitterIds: readonly string[]) => Promise<void>,
): Promise<void> {
  await Promise.all(
    [...scope].map(([ownerId, ids]) =>
      work(ownerId, ids.size > MAX_NAMED ? [ALL_EMITTERS] : [...ids]),
    ),
  );
}
