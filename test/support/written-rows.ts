import { runInDurableObject } from "cloudflare:test";

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;

/** Writes for usage alone, which are counted elsewhere. */
const USAGE = /\busage\b|^put (folded|activity)$/;

/** Record the cause of each row that an object writes from now on, alarms and indexes included, until its eviction. */
export async function watchRows(stub: DurableObjectStub): Promise<() => string[]> {
  const written = await watchAllRows(stub);
  return () => written().filter((what) => !USAGE.test(what));
}

/** The same with usage. */
export async function watchAllRows(stub: DurableObjectStub): Promise<() => string[]> {
  const written: (() => string[])[] = [];
  await runInDurableObject(stub, (_, { storage }) => {
    const { sql, kv } = storage;
    const exec = sql.exec.bind(sql);
    const put = kv.put.bind(kv);
    const remove = kv.delete.bind(kv);
    const setAlarm = storage.setAlarm.bind(storage);
    const note = (what: string) => written.push(() => [what]);
    Object.assign(sql, {
      exec: (statement: string, ...bindings: unknown[]): Cursor => {
        const cursor = exec(statement, ...bindings);
        // A cursor has its count only after the last row.
        written.push(() => Array.from({ length: cursor.rowsWritten }, () => statement.trim()));
        return cursor;
      },
    });
    Object.assign(kv, {
      put: (key: string, value: unknown) => {
        note(`put ${key}`);
        put(key, value);
      },
      delete: (key: string) => {
        note(`delete ${key}`);
        return remove(key);
      },
    });
    Object.assign(storage, {
      setAlarm: (atMs: number) => {
        note("setAlarm");
        return setAlarm(atMs);
      },
    });
  });
  return () => written.flatMap((rows) => rows());
}
