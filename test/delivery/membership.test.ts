import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { forgetRoutes } from "../support/routes.ts";
import { undeliveredEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const RELAY = `export default { name: "Relay", version: "1", props: { http: "$.interface.http" },
  run({ body }) {
    if (body.fail) throw new Error(body.fail);
    this.$emit(body.say);
  } }`;

async function deploy(client: Client, code: string, more: object) {
  const { body } = await client.post("/sources", { component_code: code, ...more });
  return {
    id: body.data.id as string,
    url: body.data.configured_props["http"].endpoint_url as string,
  };
}

async function webhook(client: Client) {
  const receiver = await newReceiver({ status: 200 });
  const { body } = await client.post("/webhooks", { url: receiver.url });
  const bodies = async () => (await receiver.received()).map((one) => JSON.parse(one.body));
  return { id: body.data.id as string, bodies };
}

const subscribe = (client: Client, emitter_id: string, listener_id: string) =>
  client.post("/subscriptions", { emitter_id, listener_id });

const undelivered = (id: string) => undeliveredEvents(env.SOURCES.getByName(id));

test("routing delivers nothing to a listener whose owner may no longer see the emitter", async () => {
  const [ada, ben] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, ben);
  const [theirs, ours] = [await webhook(ben), await webhook(ada)];
  const source = await deploy(ada, RELAY, { org_id: workspace });
  await subscribe(ben, source.id, theirs.id);
  await subscribe(ada, source.id, ours.id);
  await ben.post("/auto_subscriptions", {
    event_name: "$errors",
    listener_id: theirs.id,
    org_id: workspace,
  });
  await sendJson(source.url, { say: 1 });
  await expect.poll(theirs.bodies).toEqual([1]);
  // Only the membership, as an earlier release did.
  await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(ben.user.id).run();
  await forgetRoutes(workspace);
  const later = await deploy(ada, RELAY, { org_id: workspace });
  await sendJson(later.url, { fail: "broken" });
  await sendJson(source.url, { say: 2 });
  await expect.poll(ours.bodies).toEqual([1, 2]);
  await expect.poll(() => undelivered(source.id)).toBe(0);
  await expect.poll(() => undelivered(later.id)).toBe(0);
  expect(await theirs.bodies()).toEqual([1]);
});
