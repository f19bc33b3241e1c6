import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { createRouterDeps } from "#worker/queue/router-deps.ts";
import { route } from "#worker/queue/router.ts";

import { deploy } from "../support/deploy.ts";
import { newWebhook } from "../support/webhook.ts";

type Source = Awaited<ReturnType<typeof deploy>>;

/** A source whose outbox has so many events, their message, and the router for the webhook that listens to it. */
async function streaming(count: number) {
  const { stub, deployment } = await deploy("export default { run() {} }");
  const { id, received } = await newWebhook();
  const positions = Array.from({ length: count }, (_, index) => Date.now() * 1000 + index);
  await runInDurableObject(stub, (_, { storage }) => {
    for (const position of positions)
      storage.sql.exec(
        `INSERT INTO events (position, channel, emit_id, undelivered, hops, meta, payload)
         VALUES (?, '', ?, 1, 1, '{}', '1')`,
        position,
        crypto.randomUUID(),
      );
  });
  const { sourceId, ownerId } = deployment;
  const link = { emitterId: sourceId, ownerId, channel: "", listenerId: id, filter: null };
  const deps = { ...createRouterDeps(env), routes: async () => [link] };
  const message = { sourceId, ownerId, positions };
  return { id: sourceId, stub, positions, received, message, deps };
}

function undelivered(stub: Source["stub"]): Promise<number> {
  return runInDurableObject(
    stub,
    (_, { storage }) =>
      storage.sql.exec("SELECT 1 FROM events WHERE undelivered = 1").toArray().length,
  );
}

test("events whose acknowledgement a crash lost are delivered again, and each reaches the webhook once", async () => {
  const { id, stub, positions, received, message, deps } = await streaming(40);
  expect(await route([message], { ...deps, acknowledge: async () => {} })).toEqual([true]);
  const crash = runInDurableObject(stub, async (object, ctx) => {
    await object.acknowledge(positions, true);
    ctx.abort("killed");
  });
  await expect(crash).rejects.toThrow("killed");
  const restarted = env.SOURCES.getByName(id);
  expect(await undelivered(restarted)).toBe(40);
  expect(await route([message], deps)).toEqual([true]);
  await expect.poll(() => undelivered(restarted)).toBe(0);
  await expect.poll(received, { timeout: 10_000 }).toHaveLength(40);
});
