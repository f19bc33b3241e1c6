import { RequestError } from "#domain/errors.ts";
import { ALL_EMITTERS, type RouteKey } from "#domain/routes.ts";

import type { Database } from "./client.ts";

/** Where routes are kept beside D1, by owner. */
export type RouteKeepers = {
  /** From now on these are read from D1, until the change ends. */
  begin: (ownerId: string, emitterIds: readonly string[]) => Promise<void>;
  /** They may be kept again, as they are from now on. */
  end: (ownerId: string, emitterIds: readonly string[]) => Promise<void>;
};

/** Of an owner with more of them, all are named: an object is to keep no long list. */
const MAX_NAMED = 200;

/**
 * A change of what `routesOf` finds. All queries that change it want one, and only `around` and `ofNewEmitter` make one, so
 * that none can be made behind the back of those who keep routes.
 */
export class RoutesChange {
  readonly db: Database;
  readonly #changed: RouteKey[] = [];

  private constructor(db: Database) {
    this.db = db;
  }

  /** Changes of a new emitter's subscriptions: nobody has asked for them yet. */
  static ofNewEmitter(db: Database): RoutesChange {
    return new RoutesChange(db);
  }

  /**
   * Change subscriptions that are found by some keys. Others that were changed too, made between the reading of the keys and the write,
   * are dropped by their keepers as well.
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

  /** Subscriptions that were changed. */
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
