import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { expect, test } from "vitest";

import { errorsOf, messagesOf, receiver } from "../support/messages.ts";
import { makeMessagesDue, storeMessages } from "../support/workflow-tables.ts";
import { runOnce, withEcho } from "../support/workflow.ts";

/** Let the messages of a workflow be due, and its alarm fire. */
async function repeatNow({ stub }: Awaited<ReturnType<typeof withEcho>>): Promise<void> {
  await makeMessagesDue(stub);
  await runDurableObjectAlarm(stub);
}

test("neither the next step nor the caller waits for a message", async () => {
  const { url, received } = await receiver({ status: 200, afterMs: 60_000 });
  const flow = await withEcho(`$.send.http({ url: "${url}" })`);
  const run = await runOnce(flow);
  expect(run).toMatchObject({
    state: "succeeded",
    steps: [{ messages: [{ state: "pending" }] }, {}],
  });
  // The receiver may have what it did not respond to: the message is not repeated.
  await expect
    .poll(messagesOf(flow, run.id), { timeout: 15_000 })
    .toMatchObject([
      { state: "failed", attempts: 1, error: expect.stringContaining("within 5 s") },
    ]);
  expect(await received()).toHaveLength(1);
});

test("a message of a step that throws is sent", async () => {
  const { url, received } = await receiver({ status: 200 });
  const flow = await withEcho(`$.send.http({ url: "${url}", data: 1 }); throw new Error("late")`);
  const run = await runOnce(flow);
  expect(run).toMatchObject({ state: "failed", steps: [{ state: "failed" }] });
  await expect.poll(messagesOf(flow, run.id)).toMatchObject([{ state: "sent", error: null }]);
  expect(await received()).toHaveLength(1);
});

test.for([429, 500])(
  "a message that gets %i is repeated under its id, also after a crash",
  async (status) => {
    const { url, received } = await receiver({ status }, { status: 200 });
    const flow = await withEcho(`$.send.http({ url: "${url}" })`);
    const run = await runOnce(flow);
    await expect
      .poll(messagesOf(flow, run.id))
      .toMatchObject([
        { state: "pending", attempts: 1, error: expect.stringContaining(`${status}`) },
      ]);
    await evictDurableObject(flow.stub);
    await repeatNow(flow);
    await expect.poll(messagesOf(flow, run.id)).toMatchObject([{ state: "sent", attempts: 2 }]);
    const ids = (await received()).map(({ headers }) => headers["x-wellspring-message-id"]);
    expect(ids).toEqual([`${run.id}-1-0`, `${run.id}-1-0`]);
    expect(await errorsOf(flow)).toEqual([]);
  },
);

test("a message to nobody is repeated five times, then reported", async () => {
  const flow = await withEcho(`$.send.http({ url: "http://127.0.0.1:1/down" })`);
  const run = await runOnce(flow);
  for (let attempts = 1; attempts <= 5; attempts += 1) {
    await expect
      .poll(messagesOf(flow, run.id))
      .toMatchObject([
        { state: "pending", attempts, error: expect.stringContaining("127.0.0.1:1") },
      ]);
    await repeatNow(flow);
  }
  await expect.poll(messagesOf(flow, run.id)).toMatchObject([{ state: "failed", attempts: 6 }]);
  expect(await errorsOf(flow)).toMatchObject([{ event: { error: { code: "SendError" } } }]);
});

test("messages beyond those that may wait fail, with the reason", async () => {
  const flow = await withEcho(`$.send.http({ url: "http://127.0.0.1:1/down" })`);
  await storeMessages(flow.stub, 1000, Date.now() + 3_600_000);
  const { steps } = await runOnce(flow);
  expect(steps[0].messages).toMatchObject([
    { state: "failed", attempts: 0, error: expect.stringContaining("wait to be sent already") },
  ]);
  expect(await errorsOf(flow)).toMatchObject([{ event: { error: { code: "SendError" } } }]);
});

test("the messages that an older release left in an outcome are sent", async () => {
  const { url, received } = await receiver({ status: 200 });
  const flow = await withEcho("");
  const run = await runOnce(flow);
  const message = {
    kind: "http",
    id: "1",
    method: "POST",
    url,
    headers: {},
    body: "x",
    isBase64: false,
    timeoutMs: 5000,
  } as const;
  for (const _ of [1, 2])
    await flow.stub.send(run.id, { number: 1, step: "first", messages: [message] });
  await expect.poll(messagesOf(flow, run.id)).toMatchObject([{ state: "sent" }]);
  expect(await received()).toMatchObject([{ body: "x" }]);
});
