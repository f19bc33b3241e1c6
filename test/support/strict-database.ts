import { replacing } from "./replacing.ts";

/** Maximum queries of one invocation of a Worker. */
const MAX_QUERIES = 1000;

const REFUSAL = "D1_ERROR: too many API requests by single worker invocation";

const RUNNING = ["first", "run", "all", "raw"] as const;

/** A database for one invocation, which refuses more queries than D1 answers it. */
export function strictDatabase(database: D1Database, most = MAX_QUERIES): D1Database {
  let queries = 0;
  const count = (more: number): void => {
    queries += more;
    if (queries > most) throw new Error(REFUSAL);
  };
  // A batch accepts the binding's own statements only.
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const strict = (statement: D1PreparedStatement): D1PreparedStatement => {
    const counting = RUNNING.map((name) => [
      name,
      (...args: unknown[]): unknown => {
        count(1);
        return Reflect.apply(statement[name], statement, args);
      },
    ]);
    const counted = replacing(statement, {
      bind: (...values: unknown[]) => strict(statement.bind(...values)),
      ...Object.fromEntries(counting),
    });
    originals.set(counted, statement);
    return counted;
  };
  return replacing(database, {
    prepare: (sql: string) => strict(database.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) => {
      count(statements.length);
      return database.batch(statements.map((one) => originals.get(one) ?? one));
    },
  });
}
