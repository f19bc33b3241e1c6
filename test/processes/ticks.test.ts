import { expect, test } from "vitest";

import { deploy } from "../../tools/scripts/api.ts";
import { eventsOf, samplesOf, started } from "../support/contained.ts";

const TICKING = `export default { name: "Ticking", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 15 } } },
  run() { for (;;); } };`;

test("a timer's tick that never yields is parked, with a record that names its source", async () => {
  const platform = await started();
  const source = await deploy(platform, TICKING);
  const errors = () => eventsOf(platform, source, "$errors");
  await expect.poll(async () => (await errors()).length, { interval: 500 }).toBe(1);
  const [{ error } = {}] = await errors();
  expect(error?.message).toBe(
    `The event was given up: a run of source ${source.id} ran too long without yielding, 3 times`,
  );
  // Only its first run ended a process of others.
  await expect
    .poll(() => samplesOf(platform))
    .toMatchObject({
      'ends_total{process="0",reason="silent"}': 1,
      'ends_total{process="confined",reason="blocked"}': 2,
      confined: 1,
    });
});
