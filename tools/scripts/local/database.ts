import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4WorkerOptions,
} from "miniflare";

import { newId } from "#domain/ids.ts";

import { ROOT, type Settings } from "./settings.ts";
import { markRelease, ownRelease, refuseNewer } from "./state-release.ts";

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

const KEY_NAME = "npm start";

/** The Worker that a runtime needs beside a database. */
const IDLE = "export default { fetch: () => new Response() };";

/**
 * Upgrade the state folder of an earlier release, or create a new one: its database, in a private runtime. So the
 * serving runtime answers from its first request on, and a timer that fires there finds its tables. Throws if the state
 * is of a newer release.
 */
export async function prepareDatabase(
  d1Databases: NonNullable<V4WorkerOptions["d1Databases"]>,
  { stateDir, apiKey }: Pick<Settings, "stateDir" | "apiKey">,
): Promise<void> {
  const own = await ownRelease();
  refuseNewer(stateDir, own);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: IDLE,
      d1Databases,
      resourcePersistencePath: join(stateDir, "v3"),
      log: new Log(LogLevel.ERROR),
    }),
  );
  try {
    const db = await miniflare.getD1Database("DB");
    const applied = await applyMigrations(db);
    await ensureDevUser(db, apiKey);
    await markRelease(stateDir, own, applied);
  } finally {
    await miniflare.dispose();
  }
}

/** Apply pending migrations, recorded as by `wrangler d1 migrations apply`. Returns their names. */
export async function applyMigrations(db: Database): Promise<string[]> {
  await db
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT UNIQUE,
        applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
      )`,
    )
    .run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));

  const names = (await readdir(join(ROOT, "migrations"))).filter((name) => name.endsWith(".sql"));
  const lacking = names.toSorted().filter((name) => !applied.has(name));
  for (const name of lacking) await applyMigration(db, name);
  return lacking;
}

async function applyMigration(db: Database, name: string): Promise<void> {
  const text = await readFile(join(ROOT, "migrations", name), "utf8");
  const statements = text.split("--> statement-breakpoint").filter((sql) => sql.trim() !== "");
  await db.batch([
    ...statements.map((sql) => db.prepare(sql)),
    db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
  ]);
}

/** Make sure that the user `dev` exists with the key `apiKey`, in place of the key of earlier starts. */
export async function ensureDevUser(db: Database, apiKey: string): Promise<void> {
  const hash = createHash("sha256").update(apiKey).digest("hex");
  const now = Math.floor(Date.now() / 1000);
  const known = await db
    .prepare("SELECT id FROM users WHERE username = 'dev'")
    .first<{ id: string }>();
  const id = known?.id ?? newId("user");
  await db.batch([
    db
      .prepare(
        `INSERT OR IGNORE INTO users (id, username, email, plan, created_at, updated_at)
         VALUES (?, 'dev', 'dev@localhost', 'free', ?, ?)`,
      )
      .bind(id, now, now),
    db.prepare("DELETE FROM api_keys WHERE name = ? AND hash <> ?").bind(KEY_NAME, hash),
    db
      .prepare(
        `INSERT OR IGNORE INTO api_keys (id, hash, user_id, name, created_at)
         VALUES (?, ?, ?, ?, ?)`,
      )
      .bind(newId("api_key"), hash, id, KEY_NAME, now),
  ]);
}
