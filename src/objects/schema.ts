const VERSION = "schema_version";

/** Bring an object's own storage up to date: each statement is applied once, in order. Writes nothing when it is. */
export function applyMigrations(
  storage: DurableObjectStorage,
  migrations: readonly string[],
): void {
  const applied = storage.kv.get<number>(VERSION) ?? 0;
  if (applied === migrations.length) return;
  storage.transactionSync(() => {
    for (const statement of migrations.slice(applied)) storage.sql.exec(statement);
    storage.kv.put(VERSION, migrations.length);
  });
}

/** Whether an object ever held anything: whoever guesses names must not leave storage behind. */
export function isSetUp(storage: DurableObjectStorage): boolean {
  return storage.kv.get(VERSION) !== undefined;
}
