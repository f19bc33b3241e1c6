// @suites loader

import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";

import { deploy, eventsOf } from "../support/deploy.ts";
import { receiveInGroups } from "../support/groups.ts";
import { COUNTED_URL, limitRequests } from "../support/limited-loader.ts";
import { linesOf } from "../support/logs.ts";
import { newReceiver } from "../support/webhook.ts";

/** A source on the free plan (200 requests an event) that sends as many requests as each event says. */
async function newSource({ hasDb }: { hasDb: boolean }) {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const owner = newId("user");
  const source = await deploy(
    `export default {
      props: { ${hasDb ? `db: "$.service.db"` : ""} },
      async run({ as }) {
        if (as === "first") return void (await fetch("${gate.url}", { method: "POST" }));
        const count = Number(as.split(" ")[1]);
        for (let sent = 0; sent < count; sent += 1) await fetch("${COUNTED_URL}");
        this.$emit(as);
      },
    }`,
    { owner, plan: "free" },
  );
  limitRequests(owner);
  const run = async (others: string[]) => {
    await receiveInGroups(source.stub, gate.received, [["first"], others]);
    await gate.release();
  };
  const emitted = async () => (await eventsOf(source.stub)).map(({ event }) => event).toReversed();
  const failed = async () => (await eventsOf(source.stub, "$errors")).length;
  return { ...source, run, emitted, failed };
}

test("events of a burst may each send as many requests as an event alone", async () => {
  const source = await newSource({ hasDb: true });
  const burst = Array.from({ length: 32 }, (_, n) => `${n} 7`);
  await source.run(burst);
  await expect.poll(source.emitted).toEqual(burst);
  expect((await linesOf(source)).length).toBe(0);
});

test("events that fail by the requests of their group are repeated alone, in order", async () => {
  const source = await newSource({ hasDb: true });
  await source.run(["a 1", "greedy 900", "b 150", "c 2"]);
  await expect.poll(source.emitted).toEqual(["a 1", "b 150", "c 2"]);
  expect(await source.failed()).toBe(1);
});
