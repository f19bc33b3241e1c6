import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { MAX_CONNECTIONS } from "#domain/concurrency.ts";
import { newId } from "#domain/ids.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import { createRouterDeps } from "#worker/queue/router-deps.ts";

/** Counts the concurrent calls of one method of a binding, which end once there are as many as may be. */
function counting<T extends object>(binding: T, method: keyof T) {
  const seen = { now: 0, most: 0 };
  const full = Promise.withResolvers<void>();
  const proxy = new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== method) return value.bind(target) as unknown;
      return async (...args: unknown[]) => {
        seen.now += 1;
        seen.most = Math.max(seen.most, seen.now);
        if (seen.now === MAX_CONNECTIONS) full.resolve();
        await full.promise;
        try {
          return (await Reflect.apply(value, target, args)) as unknown;
        } finally {
          seen.now -= 1;
        }
      };
    },
  });
  return { proxy, seen };
}

const MANY = Array.from({ length: 20 }, (_, index) => `step-${index}`);

test("reads the code of many steps over a few connections", async () => {
  const { proxy, seen } = counting(env.CODE, "get");
  const store = openCodeStore(proxy);
  for (const hash of MANY) await store.putCode(hash, `// ${hash}`);
  const read = await Promise.all(MANY.map((hash) => store.code(hash)));
  expect(read).toEqual(MANY.map((hash) => `// ${hash}`));
  expect(seen.most).toBe(MAX_CONNECTIONS);
});

test("sends the messages of a batch over a few connections", async () => {
  const { proxy, seen } = counting(env.EMISSIONS, "send");
  const exchange = createRouterDeps({ ...env, EMISSIONS: proxy, QUEUE_SHARDS: "1" });
  const message = { ownerId: newId("user"), positions: [1] };
  await Promise.all(MANY.map(() => exchange.send({ ...message, sourceId: newId("source") })));
  expect(seen.most).toBe(MAX_CONNECTIONS);
});
