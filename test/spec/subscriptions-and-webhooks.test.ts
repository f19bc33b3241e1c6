import { expect, test } from "vitest";

import { newCaller, ok } from "../support/api.ts";
import { clientOf, workspaceOf } from "../support/client.ts";
import { deployEcho } from "../support/echo.ts";
import { newReceiver } from "../support/webhook.ts";

async function linked() {
  const caller = await newCaller();
  const { id: emitter_id } = await deployEcho(caller);
  const listener_id = ok(await caller.api.createWebhook({ url: "http://127.0.0.1:9/" })).data.id;
  return { ...caller, link: { emitter_id, listener_id } };
}

test("POST /subscriptions | emitter_id (string, required), listener_id (string, required)", async () => {
  const { api, link } = await linked();
  for (const missing of ["emitter_id", "listener_id"] as const) {
    const { [missing]: _, ...rest } = link;
    expect(await api.createSubscription({ body: rest as typeof link })).toMatchObject({
      status: 400,
      data: { error: expect.stringContaining(missing) },
    });
  }
  // Parameters marked query may be in the query string or in the body.
  const { emitter_id: emitterId, listener_id: listenerId } = link;
  const inQuery = ok(await api.createSubscription({ emitterId, listenerId }));
  expect(ok(await api.createSubscription({ body: link }))).toEqual(inQuery);
});

test.for(["p_*", "dc_*"])("emitter_id | glob %s for all of the owner's", async (emitter_id) => {
  const { api, link } = await linked();
  const body = { emitter_id, listener_id: link.listener_id };
  expect(ok(await api.createSubscription({ body })).data).toMatchObject(body);
});

test("event_name | only for a custom channel name, or $errors, or $logs", async () => {
  const { api, link } = await linked();
  for (const event_name of ["orders", "$errors", "$logs"])
    expect(ok(await api.createSubscription({ body: { ...link, event_name } })).data).toMatchObject({
      event_name,
    });
  expect(
    await api.createSubscription({ body: { ...link, event_name: "$something" } }),
  ).toMatchObject({ status: 400 });
});

test("DELETE /subscriptions | an empty value (event_name=) for a subscription created without one", async () => {
  const { api, key, link } = await linked();
  await api.createSubscription({ body: link });
  await api.createSubscription({ body: { ...link, event_name: "orders" } });
  const query = new URLSearchParams(link).toString();
  const client = clientOf(key, "/v1");
  const remove = (rest: string) => client.delete(`/subscriptions?${query}${rest}`);
  expect(await remove("&event_name=")).toMatchObject({ status: 204 });
  expect(ok(await api.listSubscriptions()).data).toMatchObject([{ event_name: "orders" }]);
  expect(await remove("&event_name=orders")).toMatchObject({ status: 204 });
  expect(ok(await api.listSubscriptions()).data).toEqual([]);
});

test("GET /workspaces/{workspace_id}/subscriptions | data: array of subscriptions", async () => {
  const ada = await newCaller();
  const id = await workspaceOf(ada);
  const listener = ok(await ada.api.createWebhook({ url: "http://127.0.0.1:9/", orgId: id })).data
    .id;
  const body = { emitter_id: "dc_*", listener_id: listener, org_id: id };
  const { data } = ok(await ada.api.createSubscription({ body }));
  expect(ok(await ada.api.listWorkspaceSubscriptions({ id }))).toEqual({ data: [data] });
  expect(ok(await ada.api.listWorkspaceSubscriptionsByOrg({ id }))).toEqual({ data: [data] });
});

test("POST /auto_subscriptions | subscribes the listener to the named stream of workflows and sources created after this call", async () => {
  const { api, user, key, link } = await linked();
  const { listener_id } = link;
  ok(await api.createAutoSubscription({ body: { event_name: "$errors", listener_id } }));
  expect(ok(await api.listSubscriptions()).data).toEqual([]);
  const later = await deployEcho({ api });
  expect([user.api_key, ok(await api.listSubscriptions()).data]).toMatchObject([
    key,
    [{ emitter_id: later.id, listener_id, event_name: "$errors" }],
  ]);
});

test.for([
  "example.com",
  "ftp://example.com",
  "//example.com/a",
  "mailto:a@example.com",
  "http://",
])(
  "a webhook url without protocol, or with a protocol other than http or https, is not accepted: %j",
  async (url) => {
    const { api } = await newCaller();
    expect(await api.createWebhook({ body: { url } })).toMatchObject({
      status: 400,
      data: { error: expect.stringContaining("url") },
    });
  },
);

test.for(["http://example.com", "https://example.com:8443/a/b?c=d"])(
  "url | must contain protocol http or https and a hostname; may contain port and path: %j",
  async (url) => {
    const { api } = await newCaller();
    expect(ok(await api.createWebhook({ url })).data.url).toBe(url);
  },
);

test("To feed a webhook: create the webhook, then create a subscription; several webhooks can be subscribed to one emitter", async () => {
  const caller = await newCaller();
  const source = await deployEcho(caller);
  const receivers = [await newReceiver(), await newReceiver()];
  for (const { url } of receivers) {
    const { data } = ok(await caller.api.createWebhook({ url }));
    await caller.api.createSubscription({ emitterId: source.id, listenerId: data.id });
  }
  await source.emit({ event: { n: 1 } });
  for (const { received } of receivers)
    await expect.poll(async () => (await received()).map(({ body }) => body)).toEqual([`{"n":1}`]);
});

test("DELETE /webhooks/{id}", async () => {
  const { api, link } = await linked();
  const id = link.listener_id;
  await api.createSubscription({ body: link });
  expect(await api.deleteWebhook({ id })).toMatchObject({ status: 204 });
  expect(await api.deleteWebhook({ id })).toMatchObject({ status: 404 });
  expect(ok(await api.listWebhooks()).data).toEqual([]);
  expect(ok(await api.listSubscriptions()).data).toEqual([]);
});
