import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

import { once } from "./once.ts";

/** The statements that create what the migrations do, in their order; a virtual table creates its shadow tables itself. */
async function migratedSchema(): Promise<string[]> {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  const { results } = await env.DB.prepare(
    `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'
     AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid`,
  ).all<{ sql: string }>();
  return results.map(({ sql }) => sql);
}

async function isStorageEmpty(): Promise<boolean> {
  const table = env.DB.prepare("SELECT 1 FROM sqlite_schema WHERE name NOT LIKE '_cf_%' LIMIT 1");
  if (await table.first()) return false;
  const { objects } = await env.CODE.list({ limit: 1 });
  return objects.length === 0;
}

/** Abort every object, cancel every alarm, and delete what objects, databases, buckets and queues hold. */
async function emptyStorage(): Promise<void> {
  // The runtime skips databases and buckets that are busy or not in memory: these queries load them.
  do await reset();
  while (!(await isStorageEmpty()));
}

const DAY_MS = 24 * 3600 * 1000;

/** Wait for the next day (UTC) in the last minute of one: many tests count what they do today. */
async function sameDay(): Promise<void> {
  const leftMs = () => DAY_MS - (Date.now() % DAY_MS);
  await vi.waitUntil(() => leftMs() > 60_000, { timeout: 90_000, interval: 1000 });
}

await sameDay();

// Evaluated before each file: the files of a runtime share its storage, and what one leaves must not reach the next.
// A copy of the schema takes milliseconds, the migrations half a second.
const schema = await once("schema", async () => {
  await emptyStorage();
  return await migratedSchema();
});
await emptyStorage();
await env.DB.batch(schema.map((sql) => env.DB.prepare(sql)));
