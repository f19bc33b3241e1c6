import type { ObjectKind, Tally } from "./tally.ts";

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;

/** Count the rows that an object reads and writes: by SQL, as the runtime reports it; by keys and alarms, one each. */
export function watchStorage(storage: DurableObjectStorage, kind: ObjectKind, tally: Tally): void {
  const { sql, kv } = storage;
  const exec = sql.exec.bind(sql);
  let cursors: Cursor[] = [];
  Object.assign(sql, {
    exec: (statement: string, ...bindings: unknown[]): Cursor => {
      const cursor = exec(statement, ...bindings);
      cursors.push(cursor);
      return cursor;
    },
  });
  // A cursor has its counts only after the last row, so they are read as late as possible.
  tally.readLater(() => {
    for (const { rowsRead, rowsWritten } of cursors) {
      tally.add(`${kind}.rowsRead`, rowsRead);
      tally.add(`${kind}.rowsWritten`, rowsWritten);
    }
    cursors = [];
  });
  const written = () => tally.add(`${kind}.rowsWritten`);
  onCall(kv, "get", () => tally.add(`${kind}.rowsRead`));
  onCall(kv, "put", written);
  onCall(kv, "delete", written);
  onCall(storage, "setAlarm", written);
  onCall(storage, "deleteAlarm", written);
}

/** Call a function on every call of a method of a runtime object. */
export function onCall<M extends string>(
  target: Record<M, (...args: never[]) => unknown>,
  method: M,
  then: () => void,
): void {
  const call: (...args: never[]) => unknown = target[method].bind(target);
  Object.assign(target, {
    [method]: (...args: never[]): unknown => {
      then();
      return call(...args);
    },
  });
}
