import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { OwnerId } from "#domain/ids.ts";
import { createRouterDeps } from "#worker/queue/router-deps.ts";
import { route } from "#worker/queue/router.ts";

import { signUp } from "../support/client.ts";
import { storeEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

/** A listener with its type's path, and the events that reached it, oldest first. */
type Listener = { id: string; path: string; received: () => Promise<unknown[]> };

const LISTENER = `export default { name: "Listener", version: "1", run(event) { this.$emit({ event }) } }`;

async function sourceOf(ada: Client): Promise<Listener> {
  const { body } = await ada.post("/sources", { component_code: LISTENER });
  const { id } = body.data;
  const received = async () => {
    const { body: page } = await ada.get(`/sources/${id}/event_summaries?expand=event`);
    return page.data.map((one: { event: { event: unknown } }) => one.event.event).toReversed();
  };
  return { id, path: "/sources", received };
}

async function workflowOf(ada: Client): Promise<Listener> {
  const flow = await deployWorkflow({
    owner: ada,
    trigger: { type: "none" },
    steps: [{ name: "a", component_code: code("$.send.emit(steps.trigger.event, 'seen')") }],
  });
  const received = async () => {
    const { body } = await ada.get(`/workflows/${flow.id}/event_summaries?expand=event`);
    return body.data.map((one: { event: unknown }) => one.event).toReversed();
  };
  return { id: flow.id, path: "/workflows", received };
}

async function webhookOf(ada: Client): Promise<Listener> {
  const receiver = await newReceiver({ status: 200 });
  const { body } = await ada.post("/webhooks", { url: receiver.url });
  const received = async () => (await receiver.received()).map((one) => JSON.parse(one.body));
  return { id: body.data.id, path: "/webhooks", received };
}

const LISTENERS = [
  ["webhook", webhookOf],
  ["source", sourceOf],
  ["workflow", workflowOf],
] as const;

/** A source whose events on a channel wait for the queue until `arrive`. */
async function lateSource(ada: Client, channel = "") {
  const { body } = await ada.post("/sources", { component_code: LISTENER });
  const id: `dc_${string}` = body.data.id;
  const positions: number[] = [];
  return {
    id,
    emit: async (value: string) => {
      const stub = env.SOURCES.getByName(id);
      const options = { channel, isUndelivered: true };
      positions.push(...(await storeEvents(stub, [JSON.stringify(value)], options)));
    },
    arrive: () => {
      const message = { sourceId: id, ownerId: ada.user.id as OwnerId, positions };
      return route([message], createRouterDeps(env));
    },
  };
}

test.for(LISTENERS)(
  "a %s does not receive an event that was emitted before its subscription",
  async ([, listenerOf]) => {
    const ada = await signUp();
    const [emitter, listener] = [await lateSource(ada), await listenerOf(ada)];
    await emitter.emit("before");
    await ada.post("/subscriptions", { emitter_id: emitter.id, listener_id: listener.id });
    await emitter.emit("after");
    expect(await emitter.arrive()).toEqual([true]);
    await expect.poll(listener.received).toEqual(["after"]);
  },
);

test.for(LISTENERS)(
  "a %s does not receive an event that was emitted before its activation",
  async ([, listenerOf]) => {
    const ada = await signUp();
    const [emitter, listener] = [await lateSource(ada), await listenerOf(ada)];
    const activate = (active: boolean) => ada.put(`${listener.path}/${listener.id}`, { active });
    await ada.post("/subscriptions", { emitter_id: emitter.id, listener_id: listener.id });
    await emitter.emit("active");
    expect((await activate(true)).status).toBe(200);
    expect(await emitter.arrive()).toEqual([true]);
    await expect.poll(listener.received).toEqual(["active"]);
    await activate(false);
    await emitter.emit("inactive");
    await activate(true);
    await emitter.emit("active again");
    expect(await emitter.arrive()).toEqual([true]);
    await expect.poll(listener.received).toEqual(["active", "active again"]);
  },
);

test.for([
  ["a glob", "", () => "dc_*"],
  ["all errors of an owner", "$errors", (ada: Client) => ada.user.id],
  ["logs", "$logs", (_: Client, id: string) => id],
  ["a custom channel", "orders", (_: Client, id: string) => id],
] as const)(
  "an event of %s reaches the listeners of the time when it was emitted",
  async ([, channel, emitterOf]) => {
    const ada = await signUp();
    const emitter = await lateSource(ada, channel);
    const [early, late] = [await webhookOf(ada), await webhookOf(ada)];
    const link = { emitter_id: emitterOf(ada, emitter.id), event_name: channel };
    await ada.post("/subscriptions", { ...link, listener_id: early.id });
    await emitter.emit("first");
    await ada.post("/subscriptions", { ...link, listener_id: late.id });
    // The same subscription once more is still the earlier one.
    await ada.post("/subscriptions", { ...link, listener_id: early.id });
    await emitter.emit("second");
    expect(await emitter.arrive()).toEqual([true]);
    // They are sent side by side.
    const sorted = async () => (await early.received()).map(String).toSorted();
    await expect.poll(sorted).toEqual(["first", "second"]);
    await expect.poll(late.received).toEqual(["second"]);
  },
);

test("a subscription that ended and began again has no event from before", async () => {
  const ada = await signUp();
  const [emitter, hook] = [await lateSource(ada), await webhookOf(ada)];
  const link = { emitter_id: emitter.id, listener_id: hook.id };
  await ada.post("/subscriptions", link);
  await emitter.emit("before");
  await ada.delete(`/subscriptions?emitter_id=${emitter.id}&listener_id=${hook.id}&event_name=`);
  await ada.post("/subscriptions", link);
  await emitter.emit("after");
  expect(await emitter.arrive()).toEqual([true]);
  await expect.poll(hook.received).toEqual(["after"]);
});
