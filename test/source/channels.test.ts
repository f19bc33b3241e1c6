import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";

/** Emits an event on each of the body's channels. */
const EMITTING = `export default {
  dedupe: "unique",
  props: { http: "$.interface.http" },
  run({ body }) {
    for (const name of body.names)
      this.$emit(name, { name, id: name, ...(body.isDelayed && { delivery_ts: Date.now() + 1e6 }) });
  },
}`;

const names = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `channel ${from + n}`);

const errorsOf = async ({ stub }: Awaited<ReturnType<typeof deploy>>) =>
  (await eventsOf(stub, "$errors")).map(({ event }) => event);

const TOO_MANY = {
  error: {
    code: "RangeError",
    message: expect.stringMatching(
      /^Not kept: 1 event, the first on the channel "channel 50"\. .* at most 50 named channels/,
    ) as string,
  },
};

test("an event on a 51st channel is refused, and nothing else of its run is", async () => {
  const source = await deploy(EMITTING);
  await sendJson(source.url, { names: names(0, 49) });
  await runsCommitted(source.deployment.sourceId);
  await evictDurableObject(source.stub);
  await sendJson(source.url, { names: ["channel 49", "channel 50", "", "channel 0"] });
  expect(await eventsOf(source.stub, "channel 50")).toEqual([]);
  expect(await eventsOf(source.stub, "channel 49")).toHaveLength(1);
  expect(await eventsOf(source.stub, "")).toHaveLength(1);
  expect(await errorsOf(source)).toMatchObject([TOO_MANY]);
  await sendJson(source.url, { names: ["channel 3 again"] });
  expect(await errorsOf(source)).toHaveLength(2);
});

test("a channel without events makes room for another one, and for the event that was refused", async () => {
  const source = await deploy(EMITTING);
  await sendJson(source.url, { names: names(0, 51) });
  await runsCommitted(source.deployment.sourceId);
  await source.stub.deleteEvents({ channel: "channel 7" });
  await sendJson(source.url, { names: ["channel 50"] });
  expect(await eventsOf(source.stub, "channel 50")).toHaveLength(1);
  expect(await errorsOf(source)).toMatchObject([TOO_MANY]);
});

test("the channels of delayed events count", async () => {
  const source = await deploy(EMITTING);
  await sendJson(source.url, { names: names(0, 50), isDelayed: true });
  await runsCommitted(source.deployment.sourceId);
  await evictDurableObject(source.stub);
  await sendJson(source.url, { names: names(49, 2) });
  expect(await errorsOf(source)).toMatchObject([TOO_MANY]);
});

test("a step's event on a 51st channel is refused, and its run succeeds", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "emit",
        component_code: code(
          `for (let n = 0; n <= 50; n += 1) await $.send.emit({ n }, "channel " + n);`,
        ),
      },
    ],
  });
  expect(await runOnce(flow)).toMatchObject({ state: "succeeded" });
  const { data } = (await flow.user.get(`/workflows/${flow.id}/event_summaries?limit=100`)).body;
  expect(data).toHaveLength(50);
  const { body } = await flow.user.get(
    `/workflows/${flow.id}/$errors/event_summaries?expand=event`,
  );
  expect(body.data.map(({ event }: { event: object }) => event)).toMatchObject([TOO_MANY]);
});
