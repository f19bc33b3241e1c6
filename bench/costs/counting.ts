/** What was asked of the databases: D1, and the storage of the objects of each kind. */
export type Costs = {
  d1: { roundTrips: number; rowsWritten: number };
  source: { rowsWritten: number };
  webhook: { rowsWritten: number };
};

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;

/** Counts the rows that objects of one kind write: by SQL, as the runtime tells it; by keys and alarms, one each. */
export class ObjectCounter {
  #byKey = 0;
  #cursors: Cursor[] = [];
  #bySql = 0;

  watch(storage: DurableObjectStorage): void {
    const { sql, kv } = storage;
    const exec = sql.exec.bind(sql);
    Object.assign(sql, {
      exec: (statement: string, ...bindings: unknown[]): Cursor => {
        const cursor = exec(statement, ...bindings);
        this.#cursors.push(cursor);
        return cursor;
      },
    });
    this.#countCalls(kv, "put");
    this.#countCalls(kv, "delete");
    this.#countCalls(storage, "setAlarm");
  }

  #countCalls<M extends string>(target: Record<M, (...args: never[]) => unknown>, method: M): void {
    const call: (...args: never[]) => unknown = target[method].bind(target);
    Object.assign(target, {
      [method]: (...args: never[]): unknown => {
        this.#byKey += 1;
        return call(...args);
      },
    });
  }

  /** Rows written until now. */
  rowsWritten(): number {
    // A cursor knows how many only once it has been read, so each is asked as late as may be.
    this.#bySql += this.#cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    this.#cursors = [];
    return this.#byKey + this.#bySql;
  }
}

/** Counts the round trips to a D1 database and the rows that they write. */
export class QueryCounter {
  readonly #statements = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  roundTrips = 0;
  rowsWritten = 0;

  /** The same database, counted. */
  watch(db: D1Database): D1Database {
    return new Proxy(db, {
      get: (_, name) => {
        if (name === "prepare") return (query: string) => this.#statement(db.prepare(query));
        if (name === "batch")
          return (batch: D1PreparedStatement[]) =>
            this.#counted(db.batch(batch.map((one) => this.#statements.get(one) ?? one)));
        return bound(db, name);
      },
    });
  }

  #statement(statement: D1PreparedStatement): D1PreparedStatement {
    const counted = new Proxy(statement, {
      get: (_, name) => {
        const method = bound(statement, name);
        if (typeof method !== "function") return method;
        if (name === "bind")
          return (...values: unknown[]) => this.#statement(statement.bind(...values));
        return (...args: unknown[]) => this.#counted(method(...args));
      },
    });
    this.#statements.set(counted, statement);
    return counted;
  }

  async #counted<T>(answer: Promise<T>): Promise<T> {
    this.roundTrips += 1;
    const results = await answer;
    for (const one of Array.isArray(results) ? results : [results])
      this.rowsWritten += Number(one?.meta?.rows_written ?? 0);
    return results;
  }
}

function bound(target: object, name: string | symbol) {
  const member: unknown = Reflect.get(target, name);
  return typeof member === "function" ? member.bind(target) : member;
}
