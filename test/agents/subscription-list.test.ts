// @suites loader

import { expect, test } from "vitest";

import { operator } from "../support/client.ts";
import { newSubscriber, webhookOf } from "../support/subscriptions.ts";

test("an operator lists subscriptions with their key, source and expiry", async () => {
  const { ada, orders, key, callback, subscribe } = await newSubscriber();
  const { result } = await subscribe({ arguments: { filter: "event.id > 1" } });
  const { body } = await operator.get(`/agent_subscriptions?owner_id=${ada.user.id}`);
  expect(body).toMatchObject({
    page_info: { total_count: 1 },
    data: [
      {
        id: result.id,
        owner_id: ada.user.id,
        project_id: null,
        agent_key_id: key,
        event_type: orders.id,
        filter: "event.id > 1",
        url: callback.url,
        source_id: orders.id,
        webhook_id: await webhookOf(ada),
        active: true,
        expires_at: Date.parse(result.refreshBefore) / 1000,
      },
    ],
  });
  expect(JSON.stringify(body)).not.toMatch(/secret|hash/);
  await ada.put(`/webhooks/${await webhookOf(ada)}`, { active: false });
  const { data } = (await operator.get(`/agent_subscriptions?owner_id=${ada.user.id}`)).body;
  expect(data).toMatchObject([{ id: result.id, active: false }]);
  const none = await operator.get("/agent_subscriptions?project_id=proj_none");
  expect(none.body.data).toEqual([]);
});
