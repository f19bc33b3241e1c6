import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { applyMigrations } from "#durable-objects/shared/schema.ts";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";

const FIRST = ["CREATE TABLE tea (name TEXT)", "CREATE INDEX tea_by_name ON tea (name)"];
const LATER = [...FIRST, "ALTER TABLE tea ADD COLUMN grams INTEGER"];

/** The storage of an unused object. */
function inStorage<T>(work: (storage: DurableObjectStorage) => T): Promise<T> {
  const stub = env.SOURCES.getByName(newId("source"));
  return runInDurableObject(stub, (_, { storage }) => work(storage));
}

const versionIn = (storage: DurableObjectStorage) => storage.kv.get("schema_version");

test("applies each step once, even after a rollback and a second deployment", async () => {
  await inStorage((storage) => {
    for (const steps of [FIRST, LATER, FIRST, LATER, LATER]) {
      applyMigrations(storage, steps);
      storage.sql.exec("INSERT INTO tea (name) VALUES ('sencha')");
    }
    expect(versionIn(storage)).toBe(3);
    expect(
      storage.sql.exec("SELECT count(grams) AS n, count(*) AS all_of_it FROM tea").one(),
    ).toEqual({
      n: 0,
      all_of_it: 5,
    });
  });
});

test("does not apply a step again that an older release does not know", async () => {
  await inStorage((storage) => {
    applyMigrations(storage, LATER);
    storage.kv.put("schema_version", 1);
    applyMigrations(storage, LATER);
    expect(versionIn(storage)).toBe(3);
  });
});

test("a failed step changes nothing", async () => {
  await inStorage((storage) => {
    applyMigrations(storage, FIRST);
    const wrong = [...LATER, "CREATE INDEX coffee_by_name ON coffee (name)"];
    expect(() => applyMigrations(storage, wrong)).toThrow("coffee");
    expect(versionIn(storage)).toBe(2);
    expect(() => storage.sql.exec("SELECT grams FROM tea")).toThrow("grams");
  });
});

test("a source continues after an older release has run it", async () => {
  const source = await deploy(
    `export default { props: { http: "$.interface.http" }, run({ body }) { this.$emit(body.n); } };`,
  );
  await sendJson(source.url, { n: 1 });
  await runInDurableObject(source.stub, (_, { storage }) => storage.kv.put("schema_version", 1));
  await evictDurableObject(source.stub);
  await sendJson(source.url, { n: 2 });
  await expect.poll(async () => (await eventsOf(source.stub)).length).toBe(2);
});
