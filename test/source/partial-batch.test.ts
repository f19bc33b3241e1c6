import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { deploy, eventsOf } from "../support/deploy.ts";
import { newDelivery } from "../support/webhook.ts";

const waiting = (waitMs: number) => ({
  ...newDelivery({ payload: JSON.stringify({ waitMs }) }),
  channel: "",
});

test("completed runs of a batch of deliveries are not repeated", async () => {
  const source = await deploy(`export default {
    async run({ waitMs }) {
      await new Promise((done) => setTimeout(done, waitMs));
      this.$emit({ waitMs });
    },
  }`);
  // The first run starts the isolate, so that only the slow one outlasts the caller's timeout.
  await source.stub.receive([waiting(0)]);
  await expect.poll(() => eventsOf(source.stub)).toHaveLength(1);
  expect(await source.stub.receive([1, 500, 2].map(waiting))).toBe(true);
  await expect.poll(() => eventsOf(source.stub)).toHaveLength(4);
  const inbox = await runInDurableObject(source.stub, (_, { storage }) =>
    storage.sql.exec("SELECT event FROM inbox").toArray(),
  );
  expect(inbox).toEqual([]);
  await evictDurableObject(source.stub);
  await source.stub.receive([waiting(3)]);
  const emitted = async () =>
    (await eventsOf(source.stub)).map(({ event }) => (event as { waitMs: number }).waitMs);
  await expect.poll(emitted).toContain(3);
  expect((await emitted()).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 500]);
});
