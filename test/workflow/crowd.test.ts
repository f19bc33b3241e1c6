// @suites release

import { expect, test } from "vitest";

import type { Delivery } from "#domain/deliveries.ts";
import { nextPosition } from "#domain/event-ids.ts";

import { code, deployWorkflow } from "../support/workflow.ts";

const EVENTS = 1000;

/** A channel keeps a hundred events: half of that leaves room to detect each of them twice. */
const PER_CHANNEL = 50;

test("a thousand events to one workflow each run once", async () => {
  const flow = await deployWorkflow({
    trigger: { type: "none" },
    steps: [
      {
        name: "tell",
        component_code: code(
          `const { index } = steps.trigger.event;
           $.send.emit({ raw_event: index, event_name: "c" + Math.floor(index / ${PER_CHANNEL}) })`,
        ),
      },
    ],
  });
  const deliveries = deliveriesOf(EVENTS);
  // Each half arrives twice, as after a lost acknowledgement.
  for (const half of [deliveries.slice(0, EVENTS / 2), deliveries.slice(EVENTS / 2)]) {
    expect(await flow.stub.receive(half)).toBe(true);
    expect(await flow.stub.receive(half)).toBe(true);
  }
  const ran = async () => {
    const channels = Array.from({ length: EVENTS / PER_CHANNEL }, (_, index) => `c${index}`);
    const pages = await Promise.all(
      channels.map((channel) => flow.stub.events({ limit: 100, channel, expand: true })),
    );
    return pages.flatMap(({ events }) => events.map(({ payload }) => payload));
  };
  await expect
    .poll(async () => (await ran()).length, { interval: 1000 })
    .toBeGreaterThanOrEqual(EVENTS);
  const expected = deliveries.map((_, index) => JSON.stringify({ raw_event: index }));
  expect((await ran()).toSorted()).toEqual(expected.toSorted());
});

function deliveriesOf(count: number): Delivery[] {
  let position = 0;
  return Array.from({ length: count }, (_, index) => {
    position = nextPosition(position, Date.now());
    return {
      position,
      channel: "",
      emitId: crypto.randomUUID(),
      hops: 1,
      payload: JSON.stringify({ index }),
      emitterId: "dc_somebody",
      eventId: `${position}`,
    };
  });
}
