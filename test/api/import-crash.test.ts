import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { insertItems } from "#db/registry-import-items.ts";
import * as store from "#db/registry-imports.ts";
import type { Id } from "#domain/ids.ts";
import type { AppContext } from "#services/context.ts";
import { importComponents } from "#services/registry-imports/components.ts";
import { GLOBAL } from "#services/registry.ts";
import { openContext } from "#worker/bindings.ts";

const RANGE = { first: 0, count: 1, isLast: true };
const PATH = "components/shop/actions/one/one.mjs";

/** The database of a process that crashes as soon as something is committed: this call and all later ones fail. */
function databaseUntil(isCommitted: () => Promise<boolean>): D1Database {
  let isDead = false;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (isDead) throw new Error("killed");
    const results = await env.DB.batch(statements);
    isDead = await isCommitted();
    if (isDead) throw new Error("killed");
    return results;
  };
  return new Proxy(env.DB, {
    get: (database, name) => {
      if (name === "batch") return batch;
      const member: unknown = Reflect.get(database, name);
      return typeof member === "function" ? member.bind(database) : member;
    },
  });
}

async function newImport({ db, now }: AppContext): Promise<store.RegistryImport> {
  const id: Id<"registry_import"> = `ri_${crypto.randomUUID().slice(0, 8)}`;
  const { owner: ownerId, user: userId } = GLOBAL;
  const at = now();
  const row = { id, ownerId, userId, url: null, starts: 1, state: "running", error: null } as const;
  await store.insertImport(db, { ...row, createdAt: at, updatedAt: at, clearedAt: null }, 1000);
  await insertItems(db, id, [PATH]);
  const found = await store.importById(db, id);
  if (!found) throw new Error("The import was not inserted");
  return found;
}

test("a component that was published before a crash counts as published after it", async () => {
  const key = `shop-${crypto.randomUUID().slice(0, 8)}`;
  const code = `export default { key: "${key}", name: "One", version: "1.0.0", type: "action", run() {} };`;
  const contextOn = (database: D1Database): AppContext => {
    const context = openContext({ ...env, DB: database });
    const files = async () => [{ ok: true, entry: PATH, files: { [PATH]: code } } as const];
    return { ...context, imports: { ...context.imports, files } };
  };
  const isPublished = async () =>
    (await env.DB.prepare("SELECT 1 FROM registry_versions WHERE key = ?").bind(key).first()) !==
    null;
  const restarted = contextOn(env.DB);
  const begun = await newImport(restarted);

  const killed = importComponents(contextOn(databaseUntil(isPublished)), begun, RANGE);
  await expect(killed).rejects.toThrow("killed");
  expect(await isPublished()).toBe(true);
  await importComponents(restarted, begun, RANGE);
  const seen = await store.importSeen(restarted.db, GLOBAL.user, begun.id);
  expect(seen?.counts).toEqual({ waiting: 0, published: 1, unchanged: 0, refused: 0, failed: 0 });
});
