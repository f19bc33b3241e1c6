import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ROOT } from "../scripts/local/settings.ts";
import { withFolder } from "./targets.ts";

const ROWS = 100_000;
const OWNERS = 1000;

/** Maximum size of a D1 database, on every plan. */
const DATABASE_BYTES = 10_000_000_000;

/** The rows that one source adds to the directory, with one webhook subscribed, and those of each day of its use. */
const ROWS_OF: Record<string, string> = {
  sources: `INSERT INTO sources (id, owner_id, user_id, component_id, name, name_slug, active, state,
      shown_props, endpoints, created_at, updated_at)
    SELECT 'dc_' || hex(randomblob(11)), owner, owner, 'sc_' || hex(randomblob(11)), 'Source ' || n,
      'source-' || n, 1, 'live', '{"shop":"books","limit":10}',
      '{"http":"' || hex(randomblob(22)) || '"}', 1795263165, 1795263165 FROM numbers`,
  webhooks: `INSERT INTO webhooks (id, owner_id, user_id, url, active, created_at, updated_at)
    SELECT 'wh_' || hex(randomblob(11)), owner, owner, 'https://shop.example/hooks/' || n, 1,
      1795263165, 1795263165 FROM numbers`,
  subscriptions: `INSERT INTO subscriptions (id, owner_id, user_id, emitter_id, listener_id, event_name, created_at)
    SELECT 'sub_' || hex(randomblob(11)), owner, owner, 'dc_' || hex(randomblob(11)),
      'wh_' || hex(randomblob(11)), '', 1795263165 FROM numbers`,
  usage: `INSERT INTO usage (owner_id, day, emitter_id, invocations, compute_ms, credits)
    SELECT owner, '2026-11-21', 'dc_' || hex(randomblob(11)), 1000, 5000, 1000 FROM numbers`,
};

/** Measure the size of the directory, in a database of the same engine with the same tables. */
export function measureDirectory(): Promise<void> {
  return withFolder(async (folder) => {
    console.log(`\nThe directory, with ${ROWS.toLocaleString("en")} rows in each table:\n`);
    console.log("| table | bytes a row, with its indexes | rows in 10 GB |\n|---|---|---|");
    const file = join(folder, "directory.sqlite");
    const db = new DatabaseSync(file);
    for (const sql of await migrations()) db.exec(sql);
    for (const [table, insert] of Object.entries(ROWS_OF)) {
      const before = (await stat(file)).size;
      db.exec(`WITH RECURSIVE numbers(n, owner) AS (SELECT 1, 'u_' || printf('%022d', 1)
        UNION ALL SELECT n + 1, 'u_' || printf('%022d', n % ${OWNERS}) FROM numbers LIMIT ${ROWS}) ${insert}`);
      const each = ((await stat(file)).size - before) / ROWS;
      const most = Math.floor(DATABASE_BYTES / each).toLocaleString("en");
      console.log(`| ${table} | ${each.toFixed(0)} | ${most} |`);
    }
    db.close();
  });
}

async function migrations(): Promise<string[]> {
  const folder = join(ROOT, "migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql"));
  return Promise.all(names.toSorted().map((name) => readFile(join(folder, name), "utf8")));
}
