// @suites loader

import { expect, test } from "vitest";

import { operator, signUp, workspaceOf } from "../support/client.ts";
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

test("subscribing twice creates one subscription", async () => {
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

test("a subscription is deleted by the parameters of its creation", async () => {
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
  ["an invalid emitter", { emitter_id: "x", listener_id: "wh_x" }, 400, "emitter_id"],
  ["an invalid listener", { emitter_id: "dc_*", listener_id: "x" }, 400, "listener_id"],
  ["an unknown source", { emitter_id: "dc_x", listener_id: "wh_x" }, 404, ""],
  ["an unknown workflow", { emitter_id: "p_x", listener_id: "wh_x" }, 404, ""],
  ["an unknown webhook", { emitter_id: "dc_*", listener_id: "wh_x" }, 404, ""],
  [
    "a channel of the platform's",
    { emitter_id: "dc_*", listener_id: "wh_x", event_name: "$in" },
    400,
    "event_name",
  ],
] as const)("rejects a subscription with %s", async ([, input, status, field]) => {
  const ada = await signUp();
  const refusal = await ada.post("/subscriptions", input);
  expect(refusal.status).toBe(status);
  expect(refusal.body.error).toContain(field);
  expect((await ada.get("/users/me/subscriptions")).body).toEqual({ data: [] });
});

test("an owner is an emitter of errors only, for its members only", async () => {
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

test("nobody creates, lists or deletes subscriptions of another owner's resources", async () => {
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

test("auto-subscriptions require $errors or $logs and a listener of the caller", async () => {
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

test("the owner lists and deletes auto-subscriptions, or a member those of the requested workspace", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada);
  const link = { event_name: "$logs", listener_id: await webhook(ada) };
  const own = await ada.post("/auto_subscriptions", link);
  const shared = await ada.post("/auto_subscriptions", { ...link, org_id: workspace });
  const query = new URLSearchParams(link).toString();
  expect((await ada.get("/auto_subscriptions")).body).toEqual({ data: [own.body.data] });
  const ofWorkspace = `/auto_subscriptions?workspace_id=${workspace}`;
  expect((await ada.get(ofWorkspace)).body).toEqual({ data: [shared.body.data] });
  expect(await eve.get(ofWorkspace)).toMatchObject({ status: 404 });
  expect(await eve.delete(`/auto_subscriptions?${query}`)).toMatchObject({ status: 404 });
  expect(await ada.delete(`/auto_subscriptions?${query}`)).toMatchObject({ status: 204 });
  expect(await ada.delete(`/auto_subscriptions?${query}`)).toMatchObject({ status: 404 });
  expect((await ada.get("/auto_subscriptions")).body).toEqual({ data: [] });
  expect((await ada.get(ofWorkspace)).body.data).toHaveLength(1);
});

test("leaving a workspace deletes the subscriptions of the user's listeners to it, and no others", async () => {
  const [ada, ben] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, ben);
  const hook = await webhook(ben);
  const ofWorkspace = { component_code: HTTP_SOURCE, configured_props: { shop: "books" } };
  const { body } = await ben.post("/sources", { ...ofWorkspace, org_id: workspace });
  const shared = await ben.post("/webhooks", { url: "http://127.0.0.1:9/", org_id: workspace });
  const link = (client: Client, input: object) => client.post("/subscriptions", input);
  const kept = await link(ben, { emitter_id: body.data.id, listener_id: shared.body.data.id });
  const own = await link(ben, { emitter_id: await source(ben), listener_id: hook });
  await link(ben, { emitter_id: body.data.id, listener_id: hook });
  await link(ben, { emitter_id: "dc_*", listener_id: hook, org_id: workspace });
  await link(ben, { emitter_id: await source(ben), listener_id: shared.body.data.id });
  const auto = { event_name: "$logs", org_id: workspace };
  await ben.post("/auto_subscriptions", { ...auto, listener_id: hook });
  const keptAuto = await ben.post("/auto_subscriptions", {
    ...auto,
    listener_id: shared.body.data.id,
  });
  await operator.delete(`/workspaces/${workspace}/members/${ben.user.id}`);
  const { body: links } = await ada.get(`/workspaces/${workspace}/subscriptions`);
  expect(links.data).toEqual([kept.body.data]);
  expect((await ben.get("/users/me/subscriptions")).body.data).toEqual([own.body.data]);
  const autos = await ada.get(`/auto_subscriptions?org_id=${workspace}`);
  expect(autos.body.data).toEqual([keptAuto.body.data]);
});

test("unsubscribing from a glob deletes the caller's own subscription, or the requested workspace's", async () => {
  const [ada, ben] = [await signUp(), await signUp()];
  const [ours, theirs] = [await workspaceOf(ada, ben), await workspaceOf(ada, ben)];
  const { body } = await ada.post("/webhooks", { url: "http://127.0.0.1:9/", org_id: ours });
  const link = { emitter_id: "dc_*", listener_id: body.data.id };
  for (const org_id of [undefined, ours, theirs])
    await ada.post("/subscriptions", { ...link, org_id });
  await ben.post("/subscriptions", link);
  const query = new URLSearchParams(link).toString();
  const count = async (client: Client, path: string) => (await client.get(path)).body.data.length;
  const counts = () =>
    Promise.all([
      count(ada, "/users/me/subscriptions"),
      count(ben, "/users/me/subscriptions"),
      count(ada, `/orgs/${ours}/subscriptions`),
      count(ada, `/orgs/${theirs}/subscriptions`),
    ]);
  expect(await counts()).toEqual([1, 1, 1, 1]);
  expect(await ada.delete(`/subscriptions?${query}`)).toMatchObject({ status: 204 });
  expect(await counts()).toEqual([0, 1, 1, 1]);
  expect(await ada.delete(`/subscriptions?${query}`)).toMatchObject({ status: 404 });
  expect(await ben.delete(`/subscriptions?${query}&org_id=${ours}`)).toMatchObject({ status: 204 });
  expect(await counts()).toEqual([0, 1, 0, 1]);
});

test("unsubscribing from a source requires no workspace, and finds nothing in another one", async () => {
  const ada = await signUp();
  const [org_id, other] = [await workspaceOf(ada), await workspaceOf(ada)];
  const input = { component_code: HTTP_SOURCE, configured_props: { shop: "books" }, org_id };
  const { body } = await ada.post("/sources", input);
  const link = { emitter_id: body.data.id as string, listener_id: await webhook(ada) };
  await ada.post("/subscriptions", link);
  const path = `/subscriptions?${new URLSearchParams(link).toString()}`;
  expect(await ada.delete(`${path}&workspace_id=${other}`)).toMatchObject({ status: 404 });
  expect(await ada.delete(path)).toMatchObject({ status: 204 });
});

test("a subscription keeps its last filter, and a request without a filter does not change it", async () => {
  const ada = await signUp();
  const link = { emitter_id: await source(ada), listener_id: await webhook(ada) };
  const post = async (more: object) =>
    (await ada.post("/subscriptions", { ...link, ...more })).body;
  const { data: first } = await post({ filter: "event.a == 1" });
  expect(first).toMatchObject({ ...link, filter: "event.a == 1" });
  const query = new URLSearchParams({ ...link, filter: "event.b" }).toString();
  const second = await ada.post(`/subscriptions?${query}`);
  expect(second.body.data).toEqual({ ...first, filter: "event.b" });
  expect((await post({})).data).toEqual(second.body.data);
  expect((await ada.get("/users/me/subscriptions")).body).toEqual({ data: [second.body.data] });
  const { filter: _, ...bare } = first;
  expect((await post({ filter: "" })).data).toEqual(bare);
  await post({ filter: "event.c" });
  expect((await post({ filter: null })).data).toEqual(bare);
});

test("filters of globs, workspaces and auto-subscriptions are listed, changed and removed", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const [org_id, listener_id] = [await workspaceOf(ada), await webhook(ada)];
  const glob = { emitter_id: "p_*", listener_id, org_id };
  const auto = { event_name: "$errors", listener_id, org_id };
  const places = [
    ["/subscriptions", glob, `/orgs/${org_id}/subscriptions`],
    ["/auto_subscriptions", auto, `/auto_subscriptions?org_id=${org_id}`],
  ] as const;
  for (const [path, link, listed] of places) {
    const { body } = await ada.post(path, { ...link, filter: "event.a" });
    for (const filter of ["event.a", 'event.b == "\u2028"']) {
      const changed = { ...body.data, filter };
      expect((await ada.post(path, { ...link, filter })).body.data).toEqual(changed);
      expect((await ada.get(listed)).body.data).toEqual([changed]);
    }
    // Another user can neither see nor change it.
    expect(await eve.post(path, { ...link, filter: "" })).toMatchObject({ status: 404 });
    for (const filter of [{ a: 1 }, ["event"], 7])
      expect(await ada.post(path, { ...link, filter })).toMatchObject({ status: 400 });
    expect((await ada.get(listed)).body.data).toMatchObject([
      { id: body.data.id, filter: expect.stringContaining("event.b") },
    ]);
    await ada.post(path, { ...link, filter: null });
    expect((await ada.get(listed)).body.data).toEqual([
      Object.fromEntries(Object.entries(body.data).filter(([name]) => name !== "filter")),
    ]);
  }
});

test.for([
  ["event.", "filter: character 7: Unexpected token"],
  ["process.exit", "filter: character 1: process is not a variable"],
  ["(".repeat(900), "filter: character"],
  ["1".repeat(1001), "filter: must have at most 1000 characters"],
])("rejects the filter %s, and stores nothing", async ([filter, message]) => {
  const ada = await signUp();
  const link = { emitter_id: await source(ada), listener_id: await webhook(ada) };
  const auto = { event_name: "$logs", listener_id: link.listener_id };
  for (const [path, input] of [
    ["/subscriptions", link],
    ["/auto_subscriptions", auto],
  ] as const)
    expect(await ada.post(path, { ...input, filter })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(message ?? "") },
    });
  expect((await ada.get("/users/me/subscriptions")).body).toEqual({ data: [] });
  expect((await ada.get("/auto_subscriptions")).body).toEqual({ data: [] });
});
