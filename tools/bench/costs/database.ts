import { memberOf } from "./member.ts";
import type { Tally } from "./tally.ts";

/** The default metadata of a query without any. */
const NOTHING = { rows_read: 0, rows_written: 0, duration: 0 };

/** A D1 database that counts its round trips and the rows that they read and write. */
export function countedDatabase(db: D1Database, tally: Tally): D1Database {
  const statements = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

  const counted = async <T>(answer: Promise<T>): Promise<T> => {
    tally.add("d1.roundTrips");
    const results = await answer;
    for (const one of Array.isArray(results) ? results : [results]) {
      const { rows_read, rows_written, duration } = { ...NOTHING, ...one?.meta };
      tally.add("d1.rowsRead", rows_read);
      tally.add("d1.rowsWritten", rows_written);
      tally.add("d1.sqlMs", duration);
    }
    return results;
  };

  const watched = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get: (_, name) => {
        const method = memberOf(statement, name);
        if (typeof method !== "function") return method;
        if (name === "bind") return (...values: unknown[]) => watched(statement.bind(...values));
        return (...args: unknown[]) => counted(method(...args));
      },
    });
    statements.set(proxy, statement);
    return proxy;
  };

  return new Proxy(db, {
    get: (_, name) => {
      if (name === "prepare") return (query: string) => watched(db.prepare(query));
      if (name === "batch")
        return (batch: D1PreparedStatement[]) =>
          counted(db.batch(batch.map((one) => statements.get(one) ?? one)));
      return memberOf(db, name);
    },
  });
}
