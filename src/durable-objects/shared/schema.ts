const VERSION = "schema_version";

/** Bring an object's own storage up to date: each statement is applied once, in order. Writes nothing if it is. */
export function applyMigrations(
  storage: DurableObjectStorage,
  migrations: readonly string[],
): void {
  const applied = storage.kv.get<number>(VERSION) ?? 0;
  // After a rollback, an older release leaves the additions of a later one as they are.
  if (applied >= migrations.length) return;
  storage.transactionSync(() => {
    for (const statement of migrations.slice(applied)) apply(storage.sql, statement);
    storage.kv.put(VERSION, migrations.length);
  });
}

/** Apply a statement. After a rollback to them, older releases recorded fewer steps than were applied. */
function apply(sql: SqlStorage, statement: string): void {
  try {
    sql.exec(statement);
  } catch (error) {
    const isApplied = /duplicate column name|already exists/.test(String(error));
    if (!isApplied) throw error;
  }
}

/** Whether an object ever stored anything: a guessed name must not leave storage behind. */
export function isSetUp(storage: DurableObjectStorage): boolean {
  return storage.kv.get(VERSION) !== undefined;
}
