import { expect, test } from "vitest";

import { signUp, workspaceOf } from "../support/client.ts";
import { HTTP_SOURCE } from "../support/source-code.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

async function source(client: Client): Promise<string> {
  const input = { component_code: HTTP_SOURCE, configured_props: { shop: "books" } };
  const { body } = await client.post("/sources", input);
  return body.data.id;
}

async function webhook(client: Client): Promise<string> {
  const { body } = await client.post("/webhooks", { url: "http://127.0.0.1:9/hook" });
  return body.data.id;
}

test("the same link twice is one subscription", async () => {
  const ada = await signUp();
  const link = { emitter_id: await source(ada), listener_id: await webhook(ada) };
  const first = await ada.post("/subscriptions", link);
  expect(first).toMatchObject({ status: 200, body: { data: { ...link, event_name: "" } } });
  const again = await ada.post(`/subscriptions?${new URLSearchParams(link).toString()}`);
  expect(again.body.data).toEqual(first.body.data);
  expect((await ada.get("/users/me/subscriptions")).body).toEqual({ data: [first.body.data] });
  const other = await ada.post("/subscriptions", { ...link, event_name: "orders" });
  expect(other.body.data.id).not.toBe(first.body.data.id);
});

test("a subscription is deleted by what it was created with", async () => {
  const ada = await signUp();
  const link = { emitter_id: await source(ada), listener_id: await webhook(ada) };
  await ada.post("/subscriptions", { ...link, event_name: "orders" });
  const query = new URLSearchParams(link).toString();
  expect(await ada.delete(`/subscriptions?${query}&event_name=`)).toMatchObject({ status: 404 });
  expect(await ada.delete(`/subscriptions?${query}&event_name=orders`)).toMatchObject({
    status: 204,
  });
  expect((await ada.get("/users/me/subscriptions")).body).toEqual({ data: [] });
});

test.for([
  ["no emitter", { listener_id: "wh_x" }, 400, "emitter_id"],
  ["no listener", { emitter_id: "dc_*" }, 400, "listener_id"],
  ["an emitter that is none", { emitter_id: "x", listener_id: "wh_x" }, 400, "emitter_id"],
  ["a listener that is none", { emitter_id: "dc_*", listener_id: "x" }, 400, "listener_id"],
  ["an unknown source", { emitter_id: "dc_x", listener_id: "wh_x" }, 404, ""],
  ["an unknown workflow", { emitter_id: "p_x", listener_id: "wh_x" }, 404, ""],
  ["an unknown webhook", { emitter_id: "dc_*", listener_id: "wh_x" }, 404, ""],
  [
    "a channel of the platform's",
    { emitter_id: "dc_*", listener_id: "wh_x", event_name: "$in" },
    400,
    "event_name",
  ],
] as const)("a subscription with %s is refused", async ([, input, status, field]) => {
  const ada = await signUp();
  const refusal = await ada.post("/subscriptions", input);
  expect(refusal.status).toBe(status);
  expect(refusal.body.error).toContain(field);
  expect((await ada.get("/users/me/subscriptions")).body).toEqual({ data: [] });
});

test("an owner emits errors, and only to those who belong to it", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const hook = await webhook(ada);
  const workspace = await workspaceOf(ada);
  const errors = (emitter_id: string) =>
    ada.post("/subscriptions", { emitter_id, listener_id: hook, event_name: "$errors" });
  expect(await errors(ada.user.id)).toMatchObject({ status: 200 });
  expect(await errors(workspace)).toMatchObject({ status: 200 });
  expect(await errors(eve.user.id)).toMatchObject({ status: 404 });
  expect(
    await ada.post("/subscriptions", { emitter_id: ada.user.id, listener_id: hook }),
  ).toMatchObject({ status: 400, body: { error: expect.stringContaining("event_name") } });
});

test("nobody links, sees or unlinks what belongs to somebody else", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const link = { emitter_id: await source(ada), listener_id: await webhook(ada) };
  await ada.post("/subscriptions", link);
  expect(await eve.post("/subscriptions", link)).toMatchObject({ status: 404 });
  expect(
    await eve.post("/subscriptions", { ...link, listener_id: await webhook(eve) }),
  ).toMatchObject({ status: 404 });
  expect(
    await eve.post("/subscriptions", { emitter_id: "dc_*", listener_id: link.listener_id }),
  ).toMatchObject({ status: 404 });
  expect(await eve.delete(`/subscriptions?${new URLSearchParams(link).toString()}`)).toMatchObject({
    status: 404,
  });
  expect((await eve.get("/users/me/subscriptions")).body).toEqual({ data: [] });
});

test("auto-subscriptions take $errors or $logs and a listener of the caller's", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const listener_id = await webhook(ada);
  expect(await ada.post("/auto_subscriptions", { event_name: "$logs", listener_id })).toMatchObject(
    {
      status: 200,
      body: { data: { id: expect.any(String), event_name: "$logs", listener_id } },
    },
  );
  expect(await ada.post("/auto_subscriptions", { event_name: "x", listener_id })).toMatchObject({
    status: 400,
  });
  expect(await eve.post("/auto_subscriptions", { event_name: "$logs", listener_id })).toMatchObject(
    { status: 404 },
  );
});
