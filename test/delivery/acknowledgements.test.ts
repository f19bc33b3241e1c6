import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { createRouterDeps } from "#worker/queue/router-deps.ts";
import { route } from "#worker/queue/router.ts";

import { deploy } from "../support/deploy.ts";
import { storeEvents, undeliveredEvents } from "../support/source-tables.ts";
import { newWebhook } from "../support/webhook.ts";

/** A source whose outbox has so many events, their message, and the router for the webhook that listens to it. */
async function streaming(count: number) {
  const { stub, deployment } = await deploy("export default { run() {} }");
  const { id, received } = await newWebhook();
  const payloads = Array.from({ length: count }, () => "1");
  const positions = await storeEvents(stub, payloads, { isUndelivered: true });
  const { sourceId, ownerId } = deployment;
  const link = { emitterId: sourceId, ownerId, channel: "", listenerId: id, filter: null };
  const deps = { ...createRouterDeps(env), routes: async () => [link] };
  const message = { sourceId, ownerId, positions };
  return { id: sourceId, stub, positions, received, message, deps };
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
  expect(await undeliveredEvents(restarted)).toBe(40);
  expect(await route([message], deps)).toEqual([true]);
  await expect.poll(() => undeliveredEvents(restarted)).toBe(0);
  await expect.poll(received).toHaveLength(40);
});
