import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { deploy, eventsOf } from "../support/deploy.ts";
import { waitingEvents } from "../support/source-tables.ts";
import { newDelivery, newReceiver } from "../support/webhook.ts";

const asking = (n: number, url?: string) => ({
  ...newDelivery({ payload: JSON.stringify({ n, url }) }),
  channel: "",
});

test("completed runs of a batch of deliveries are not repeated", async () => {
  const source = await deploy(`export default {
    async run({ n, url }) {
      if (url) await fetch(url, { method: "POST" });
      this.$emit({ n });
    },
  }`);
  const gate = await newReceiver({ status: 200, isHeld: true });
  // The first run starts the isolate, so that only the held one outlasts the caller's timeout.
  await source.stub.receive([asking(0)]);
  await expect.poll(() => eventsOf(source.stub)).toHaveLength(1);
  const batch = [asking(1), asking(2, gate.url), asking(3)];
  expect(await source.stub.receive(batch)).toBe(true);
  await gate.release();
  await expect.poll(() => eventsOf(source.stub)).toHaveLength(4);
  expect(await waitingEvents(source.stub)).toBe(0);
  await evictDurableObject(source.stub);
  await source.stub.receive([asking(4)]);
  const emitted = async () =>
    (await eventsOf(source.stub)).map(({ event }) => (event as { n: number }).n);
  await expect.poll(emitted).toContain(4);
  expect((await emitted()).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
});
