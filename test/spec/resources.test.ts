import { expect, test } from "vitest";

import { newCaller, ok } from "../support/api.ts";
import { workspaceOf } from "../support/client.ts";
import { deployEcho, ECHO } from "../support/echo.ts";

const seconds = expect.toSatisfy((value) => Number.isInteger(value) && value > 1e9 && value < 1e10);
const URL = "https://example.com/hook";

test("Response envelopes: Single object | object with key data holding the resource", async () => {
  const { api } = await newCaller();
  expect(Object.keys(ok(await api.getCurrentUser()))).toEqual(["data"]);
});

test("Response envelopes: Paginated list | object with page_info and data (array)", async () => {
  const { api } = await newCaller();
  await api.createWebhook({ url: URL });
  expect(ok(await api.listWebhooks())).toEqual({
    page_info: {
      total_count: 1,
      count: 1,
      start_cursor: expect.any(String),
      end_cursor: expect.any(String),
    },
    data: [expect.any(Object)],
  });
});

test("Response envelopes: Unpaginated list (subscriptions lists) | object with data (array) only", async () => {
  const caller = await newCaller();
  const id = await workspaceOf(caller);
  expect(ok(await caller.api.listSubscriptions())).toEqual({ data: [] });
  expect(ok(await caller.api.listWorkspaceSubscriptions({ id }))).toEqual({ data: [] });
});

test("Identifier prefixes: sc_, dc_, wh_, sub_, u_, o_", async () => {
  const caller = await newCaller();
  const { api } = caller;
  const component = ok(await api.saveComponent({ body: { component_code: ECHO } })).data;
  const source = await deployEcho(caller);
  const webhook = ok(await api.createWebhook({ url: URL })).data;
  const link = { emitter_id: source.id, listener_id: webhook.id };
  const subscription = ok(await api.createSubscription({ body: link })).data;
  const user = ok(await api.getCurrentUser()).data;
  const workspace = await workspaceOf(caller);
  const ids = [component.id, source.id, webhook.id, subscription.id, user.id, workspace];
  expect(ids.map((id) => id.slice(0, id.indexOf("_") + 1))).toEqual([
    "sc_",
    "dc_",
    "wh_",
    "sub_",
    "u_",
    "o_",
  ]);
});

test("Component: id, code, code_hash (hexadecimal string), name, version, configurable_props, created_at, updated_at", async () => {
  const { api } = await newCaller();
  const code = `export default { name: "Timed", version: "0.0.1", props: { timer: {
    type: "$.interface.timer", label: "Every", description: "How often", default: { intervalSeconds: 900 } } },
    run() {} }`;
  const { data } = ok(await api.saveComponent({ body: { component_code: code } }));
  expect(data).toEqual({
    id: expect.stringMatching(/^sc_/),
    code,
    code_hash: expect.stringMatching(/^[0-9a-f]+$/),
    name: "Timed",
    version: "0.0.1",
    component_type: "source",
    configurable_props: [
      {
        name: "timer",
        type: "$.interface.timer",
        label: "Every",
        description: "How often",
        default: { intervalSeconds: 900 },
      },
    ],
    created_at: seconds,
    updated_at: seconds,
  });
});

test("Source: an HTTP interface prop carries endpoint_url; a timer prop carries cron (string or null) and interval_seconds (integer)", async () => {
  const { api, user } = await newCaller();
  const code = `export default { name: "Both", version: "1", props: { http: "$.interface.http",
    timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } }, run() {} }`;
  const { data } = ok(await api.createSource({ body: { component_code: code } }));
  expect(data).toEqual({
    id: expect.stringMatching(/^dc_/),
    user_id: user.id,
    component_id: expect.stringMatching(/^sc_/),
    configured_props: {
      http: { endpoint_url: expect.stringMatching(/^http/) },
      timer: { cron: null, interval_seconds: 60 },
    },
    active: true,
    created_at: seconds,
    updated_at: seconds,
    name: "both",
    name_slug: "both",
  });
});

test("Subscription: event_name | empty string for the default channel, otherwise the channel name", async () => {
  const caller = await newCaller();
  const { id: emitter_id } = await deployEcho(caller);
  const listener_id = ok(await caller.api.createWebhook({ url: URL })).data.id;
  for (const event_name of [undefined, "orders"]) {
    const body = { emitter_id, listener_id, ...(event_name && { event_name }) };
    expect(ok(await caller.api.createSubscription({ body })).data).toEqual({
      id: expect.stringMatching(/^sub_/),
      emitter_id,
      listener_id,
      event_name: event_name ?? "",
    });
  }
});

test("Webhook: id, user_id, name or null, description or null, url, active, created_at, updated_at", async () => {
  const { api, user } = await newCaller();
  const expected = {
    id: expect.stringMatching(/^wh_/),
    user_id: user.id,
    url: URL,
    active: true,
    created_at: seconds,
    updated_at: seconds,
  };
  expect(ok(await api.createWebhook({ url: URL })).data).toMatchObject({
    ...expected,
    name: null,
    description: null,
  });
  const named = { url: URL, name: "N", description: "D" };
  expect(ok(await api.createWebhook(named)).data).toMatchObject({ ...expected, ...named });
});

test("Event summary: id <epoch_milliseconds>-0, indexed_at_ms, event, metadata (emit_id, name, emitter_id)", async () => {
  const source = await deployEcho(await newCaller());
  await source.emit({ event: { name: "Yoda" } });
  const [summary] = await source.events();
  expect(summary).toEqual({
    id: expect.stringMatching(/^\d{13}-0$/),
    indexed_at_ms: expect.any(Number),
    event: { name: "Yoda" },
    metadata: { emit_id: expect.any(String), name: "", emitter_id: source.id },
  });
  expect(summary?.id).toBe(`${summary?.indexed_at_ms}-0`);
});
