// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { strictDatabase } from "../support/strict-database.ts";
import { strictLoader } from "../support/strict-loader.ts";

const CODE = `import { WorkerEntrypoint } from "cloudflare:workers";
export default class extends WorkerEntrypoint { async number() { return 7; } }`;

test("a request has four isolates at work at most, and any number one after the other", async () => {
  const loader = strictLoader(env.LOADER);
  const call = async (): Promise<number> => {
    const modules = { "index.js": CODE };
    const worker = loader.load({
      compatibilityDate: "2026-10-01",
      mainModule: "index.js",
      modules,
    });
    return (worker.getEntrypoint() as unknown as { number(): Promise<number> }).number();
  };
  for (let turn = 0; turn < 8; turn += 1) expect(await call()).toBe(7);
  const results = await Promise.allSettled(Array.from({ length: 8 }, call));
  expect(results.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
});

test("an invocation has a thousand queries, those of batches included", async () => {
  const database = strictDatabase(env.DB);
  const query = database.prepare("SELECT ? AS one");
  const bound = Array.from({ length: 999 }, (_, n) => query.bind(n));
  expect(await database.batch(bound)).toHaveLength(999);
  expect(await query.bind(1).first()).toEqual({ one: 1 });
  expect(() => query.bind(1).first()).toThrow("too many API requests by single worker invocation");
});
