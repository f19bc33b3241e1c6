import assert from "node:assert/strict";
import { createHmac } from "node:crypto";

import { accountOf, type Any, idsOf, type Method, user, USER, type World } from "../world.ts";

/** Triggers of external users. */
export const TRIGGERS: Record<string, Method> = {
  "triggers.deploy": async (world) => {
    await triggerOf(world);
    const { headers, body } = await world.shop.next("/events");
    const [, time, signature] =
      /^t=(\d+),v1=([\da-f]+)$/.exec(String(headers["x-pd-signature"])) ?? [];
    const expected = createHmac("sha256", world.made["key"] ?? "")
      .update(`${time}.${body}`)
      .digest("hex");
    assert.equal(signature, expected);
  },
  "deployedTriggers.list": async (world) => {
    const page = await world.client.deployedTriggers.list(user);
    assert((await idsOf(page)).includes(await triggerOf(world)));
  },
  "deployedTriggers.retrieve": async (world) => {
    const { data } = await world.client.deployedTriggers.retrieve(await triggerOf(world), user);
    assert.equal(data.active, true);
  },
  "deployedTriggers.update": async (world) => {
    const { data } = await world.client.deployedTriggers.update(await triggerOf(world), {
      ...user,
      name: "Renamed",
    });
    assert.equal(data.name, "Renamed");
  },
  "deployedTriggers.listEvents": async (world) => {
    const id = await triggerOf(world);
    await fetch(world.made["endpoint1"] ?? "", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"order":1}`,
    });
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { data } = await world.client.deployedTriggers.listEvents(id, { ...user, n: 10 });
      if (data.some((event: Any) => event.e?.order === 1 || event.event?.order === 1)) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error("The event is not listed");
  },
  "deployedTriggers.listWebhooks": async (world) => {
    const answer = await world.client.deployedTriggers.listWebhooks(await triggerOf(world), user);
    assert.deepEqual(answer.webhookUrls, [`${world.shop.url}/events`]);
    world.made["webhook"] = answer.webhooks?.[0]?.id;
  },
  "deployedTriggers.retrieveWebhook": async (world) => {
    const { data } = await world.client.deployedTriggers.retrieveWebhook(
      await triggerOf(world),
      world.made["webhook"],
      user,
    );
    assert.equal(data.url, `${world.shop.url}/events`);
  },
  "deployedTriggers.regenerateWebhookSigningKey": async (world) => {
    const { data } = await world.client.deployedTriggers.regenerateWebhookSigningKey(
      await triggerOf(world),
      world.made["webhook"],
      user,
    );
    assert.notEqual(data.signingKey, world.made["key"]);
  },
  "deployedTriggers.updateWebhooks": async (world) => {
    const webhookUrls = [`${world.shop.url}/other`];
    const answer = await world.client.deployedTriggers.updateWebhooks(await triggerOf(world), {
      ...user,
      webhookUrls,
    });
    assert.deepEqual(answer.webhookUrls, webhookUrls);
  },
  "deployedTriggers.updateWorkflows": async (world) => {
    const workflowIds = [world.made["workflow"]];
    const answer = await world.client.deployedTriggers.updateWorkflows(await triggerOf(world), {
      ...user,
      workflowIds,
    });
    assert.deepEqual(answer.workflowIds, workflowIds);
  },
  "deployedTriggers.listWorkflows": async (world) => {
    const answer = await world.client.deployedTriggers.listWorkflows(await triggerOf(world), user);
    assert.deepEqual(answer.workflowIds, [world.made["workflow"]]);
  },
  "deployedTriggers.delete": async (world) => {
    const id = await triggerOf(world);
    await world.client.deployedTriggers.delete(id, user);
    await assert.rejects(world.client.deployedTriggers.retrieve(id, user), { statusCode: 404 });
  },
};

async function triggerOf(world: World): Promise<string> {
  const { client, made, shop } = world;
  if (made["trigger"] === undefined) {
    const { data } = await client.triggers.deploy({
      id: "shop-new-order",
      externalUserId: USER,
      configuredProps: { shop: { authProvisionId: await accountOf(world) } },
      webhookUrl: `${shop.url}/events`,
    });
    Object.assign(made, {
      trigger: data.id,
      key: data.webhookSigningKey,
      endpoint1: data.configuredProps.http.endpoint_url,
    });
    assert.equal(data.type, "DeployedComponent");
    assert.equal(typeof data.createdAt, "number");
  }
  return made["trigger"] ?? "";
}
