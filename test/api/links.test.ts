// @suites loader

import { expect, test } from "vitest";

import { signUp, workspaceOf } from "../support/client.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const CODE = `export default { name: "Linked", version: "1", run() {} }`;
const STEP = { name: "one", component_code: "export default () => 1" };

async function made(client: Client, path: string, body: object): Promise<string> {
  const answer = await client.post(path, body);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body.data.id;
}

const sourceOf = (client: Client, more: object = {}) =>
  made(client, "/sources", { component_code: CODE, ...more });
const webhookOf = (client: Client, more: object = {}) =>
  made(client, "/webhooks", { url: "http://127.0.0.1:9/hook", ...more });
const link = (client: Client, emitter_id: string, listener_id: string, more: object = {}) =>
  made(client, "/subscriptions", { emitter_id, listener_id, ...more });

const idsOf = async (client: Client, path: string) =>
  (await client.get(path)).body.data.map(({ id }: { id: string }) => id);

test("lists the listeners and emitters that events of a resource reach", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const [source, other] = [
    await sourceOf(ada, { name: "first" }),
    await sourceOf(ada, { name: "other" }),
  ];
  const webhook = await webhookOf(ada, { name: "Pager" });
  const flow = await made(ada, "/workflows", { name: "Flow", steps: [STEP] });
  const direct = await link(ada, source, webhook, { filter: "event.n > 1" });
  await link(ada, "dc_*", flow);
  await link(ada, ada.user.id, webhook, { event_name: "$errors" });
  await link(ada, other, source, { event_name: "orders" });
  await link(ada, webhook, flow, { event_name: "$alerts" });

  const { body } = await ada.get(`/sources/${source}/listeners`);
  expect(body.data).toEqual([
    {
      subscription_id: expect.any(String),
      event_name: "$errors",
      filter: null,
      emitter_id: ada.user.id,
      type: "webhook",
      id: webhook,
      name: "Pager",
      active: true,
    },
    expect.objectContaining({ emitter_id: "dc_*", type: "workflow", id: flow, name: "Flow" }),
    expect.objectContaining({ subscription_id: direct, filter: "event.n > 1", event_name: "" }),
  ]);
  expect(await idsOf(ada, `/sources/${other}/listeners`)).toEqual([source, webhook, flow]);
  expect(await idsOf(ada, `/webhooks/${webhook}/listeners`)).toEqual([flow]);
  expect(await idsOf(ada, `/workflows/${flow}/listeners`)).toEqual([webhook]);

  const emitters = (await ada.get(`/workflows/${flow}/emitters`)).body.data;
  expect(emitters).toMatchObject([
    { type: "webhook", id: webhook, name: "Pager", active: true },
    { type: "all_sources", id: "dc_*", name: null, active: null },
  ]);
  expect((await ada.get(`/webhooks/${webhook}/emitters`)).body.data).toMatchObject([
    { type: "owner", id: ada.user.id },
    { type: "source", id: source, name: "first" },
  ]);
  expect(await idsOf(ada, `/sources/${source}/emitters`)).toEqual([other]);
  for (const path of [`/sources/${source}/listeners`, `/webhooks/${webhook}/emitters`])
    expect((await eve.get(path)).status).toBe(404);
});

test("members see that a listener is subscribed, but not another member's name for it", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const source = await sourceOf(ada, { org_id: workspace });
  const own = await webhookOf(bob, { name: "Bob's own" });
  await link(bob, source, own);
  expect((await bob.get(`/sources/${source}/listeners`)).body.data).toMatchObject([
    { id: own, name: "Bob's own" },
  ]);
  expect((await ada.get(`/sources/${source}/listeners`)).body.data).toMatchObject([
    { type: "webhook", id: own, name: null, active: null },
  ]);
});
