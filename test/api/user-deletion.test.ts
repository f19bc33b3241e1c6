import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { hideUser } from "#db/user-departures.ts";
import type { Id } from "#domain/ids.ts";
import { endUserDepartures } from "#services/user-departures.ts";

import { newAccount } from "../support/accounts.ts";
import { operator, request, signUp, workspaceOf } from "../support/client.ts";
import { accountOf, newCustomer } from "../support/connect.ts";
import { newStore } from "../support/data-store.ts";
import { KEPT, sweepAway, tracesOf } from "../support/departures.ts";
import { platformIn } from "../support/sweeping.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

const CODE = `export default { name: "N", version: "1.0.0", props: { http: "$.interface.http" }, run() {} }`;

/** A customer with one resource of each kind, in person, in a sole member's workspace, and in a shared one. */
async function everything() {
  const customer = await newCustomer();
  const { ada } = customer;
  const bob = await signUp();
  const [alone, shared] = [await workspaceOf(ada), await workspaceOf(ada, bob)];
  const sourceIn = async (workspace?: string) =>
    (await ada.post("/sources", { component_code: CODE, workspace_id: workspace })).body.data;
  const sources = {
    own: await sourceIn(),
    alone: await sourceIn(alone),
    shared: await sourceIn(shared),
  };
  const { body: webhook } = await ada.post("/webhooks", { url: "http://127.0.0.1:9/hook" });
  for (const { id } of Object.values(sources))
    expect(
      await ada.post("/subscriptions", { emitter_id: id, listener_id: webhook.data.id }),
    ).toMatchObject({ status: 200 });
  const listening = { event_name: "$errors", listener_id: webhook.data.id };
  await ada.post("/auto_subscriptions", listening);
  const store = await newStore(ada);
  const { id: workflow } = await deployWorkflow({
    owner: ada,
    steps: [{ name: "one", component_code: code("return 1") }],
  });
  await newAccount(ada.user.id);
  await accountOf(customer, "kim");
  return { ...customer, bob, alone, shared, sources, store, workflow, webhook: webhook.data.id };
}

/** Expect no traces of a user except usage and the creator of a shared workspace's resources. */
async function expectGone({
  ada,
  bob,
  alone,
  shared,
  sources,
  project,
  workflow,
}: Awaited<ReturnType<typeof everything>>) {
  const left = Object.entries(await tracesOf(ada.user.id)).filter(([name]) => !KEPT.has(name));
  expect(Object.fromEntries(left)).toEqual({
    sources: 1,
    components: 1,
    source_versions: 1,
  });
  expect(await tracesOf(ada.user.email)).toEqual({});
  expect(Object.keys(await tracesOf(alone)).filter((name) => !KEPT.has(name))).toEqual([]);
  expect(await tracesOf(project)).toEqual({});
  expect(await tracesOf(workflow)).toEqual({});
  expect(await bob.get(`/workspaces/${shared}`)).toMatchObject({ status: 200 });
  expect(await bob.get(`/sources/${sources.shared.id}`)).toMatchObject({ status: 200 });
  expect((await bob.get(`/workspaces/${shared}/subscriptions`)).body.data).toEqual([]);
}

test("a deletion lists the user's resources, and deletes nothing until it is forced", async () => {
  const { ada, alone } = await everything();
  const refused = await operator.delete(`/users/${ada.user.id}`);
  expect(refused).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect(refused.body.details.would_delete).toEqual({
    sources: 2,
    workflows: 1,
    webhooks: 1,
    data_stores: 1,
    accounts: 1,
    components: 2,
    projects: 1,
    api_keys: 1,
    workspaces: [alone],
  });
  expect(await operator.delete(`/users/${ada.user.id}?force=false`)).toMatchObject({ status: 409 });
  expect(await operator.delete(`/users/${ada.user.id}?force=maybe`)).toMatchObject({ status: 400 });
  expect(await ada.get("/users/me")).toMatchObject({ status: 200 });
  expect(await operator.delete("/users/u_nobody?force=true")).toMatchObject({ status: 404 });
});

test("a forced deletion deletes everything of the user, and nothing of others", async () => {
  const all = await everything();
  const { ada, connect: program, clientId, clientSecret } = all;
  const path = `/users/${ada.user.id}`;
  expect(Object.keys(await tracesOf(ada.user.id))).toEqual(
    expect.arrayContaining(["users", "api_keys", "sources", "webhooks", "workflows", "projects"]),
  );
  expect(Object.keys(await tracesOf(all.workflow))).toEqual(
    expect.arrayContaining(["workflow_versions", "workflow_plans", "workflow_version_code"]),
  );
  expect(await operator.delete(`${path}?force=true`)).toMatchObject({ status: 202 });

  expect(await ada.get("/users/me")).toMatchObject({ status: 401 });
  expect(await program.get("/projects")).toMatchObject({ status: 401 });
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const grant = { grant_type: "client_credentials", ...credentials };
  expect((await request("POST", "/v1/oauth/token", { body: grant })).status).toBe(401);
  for (const answer of [
    await operator.get(path),
    await operator.put(path, { plan: "paid" }),
    await operator.put(`${path}/quotas`, { daily_credits_quota: 1 }),
    await operator.get(`${path}/api_keys`),
    await operator.post(`${path}/api_keys`, {}),
    await operator.delete(`${path}?force=true`),
    await operator.put(`/workspaces/${all.shared}/members/${ada.user.id}`),
  ])
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect((await operator.get(`/users?q=${ada.user.id}`)).body.page_info.total_count).toBe(0);

  await sweepAway(ada.user.id);
  await expectGone(all);
  const again = { username: "ada", email: ada.user.email };
  expect(await operator.post("/users", again)).toMatchObject({ status: 200 });
});

test("an interrupted deletion is resumed, and the keys are rejected from its first write on", async () => {
  const all = await everything();
  const { ada } = all;
  const id = ada.user.id as Id<"user">;
  // The process is killed right after the first write, and then in every step outside of the database.
  const now = Math.floor(Date.now() / 1000);
  expect(await hideUser(connect(env.DB), id, now)).toBe(true);
  expect(await hideUser(connect(env.DB), id, now)).toBe(false);
  expect(await ada.get("/users/me")).toMatchObject({ status: 401 });
  const killed = () => {
    throw new Error("killed");
  };
  const late = platformIn(700);
  for (const part of ["endStreams", "workflows", "sources", "webhooks", "dataStores"] as const) {
    await endUserDepartures({ ...late, [part]: killed });
    expect(await tracesOf(id)).toMatchObject({ users: 1 });
  }
  await Promise.all([endUserDepartures(late), endUserDepartures(late)]);
  await sweepAway(id);
  await expectGone(all);
});

test("the row of a user stays until earlier requests have finished", async () => {
  const ada = await signUp();
  await operator.delete(`/users/${ada.user.id}?force=true`);
  await endUserDepartures(platformIn(0));
  expect(await tracesOf(ada.user.id)).toMatchObject({ users: 1 });
  await sweepAway(ada.user.id);
  expect(await tracesOf(ada.user.id)).toEqual({});
});

test("a workspace of two deleted users is deleted with the second", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  await ada.post("/webhooks", { url: "http://127.0.0.1:9/hook", workspace_id: workspace });
  await operator.delete(`/users/${ada.user.id}?force=true`);
  await sweepAway(ada.user.id);
  expect(await bob.get(`/workspaces/${workspace}/webhooks`)).toMatchObject({
    body: { page_info: { total_count: 1 } },
  });
  await operator.delete(`/users/${bob.user.id}?force=true`);
  await sweepAway(bob.user.id);
  expect(await tracesOf(workspace)).toEqual({});
});
