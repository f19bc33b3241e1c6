// @suites loader

import { expect, test } from "vitest";

import { newAccount } from "../support/accounts.ts";
import { operator, signUp, workspaceOf } from "../support/client.ts";

const GITHUB = { app: "github", name: "Main", credentials: { api_key: "sk_ada" } };

const CODE = `export default {
  name: "Asking", version: "0.0.1",
  props: { github: { type: "app", app: "github" }, http: "$.interface.http" },
  run() { this.$emit(this.github.$auth.api_key); },
};`;

test("users connect, rename and renew their own accounts", async () => {
  const ada = await signUp();
  const { status, body } = await ada.post("/accounts", GITHUB);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { data: { owner_id: ada.user.id, app: "github", name: "Main", healthy: true } },
  });
  expect(JSON.stringify(body)).not.toContain("sk_ada");
  const path = `/accounts/${body.data.id}`;
  const second = await ada.post("/accounts", { ...GITHUB, name: "Second" });
  expect((await ada.get("/accounts?app=github")).body.data).toHaveLength(2);
  const renamed = await ada.put(path, { name: "Renamed", credentials: { api_key: "sk_new" } });
  expect(renamed.body.data).toMatchObject({ id: body.data.id, name: "Renamed" });
  expect((await ada.delete(`/accounts/${second.body.data.id}`)).status).toBe(204);
  expect((await ada.get(path)).body.data).toEqual(renamed.body.data);
});

test("members change the accounts of their workspace", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const { body } = await ada.post("/accounts", { ...GITHUB, org_id: workspace });
  expect(body.data.owner_id).toBe(workspace);
  const path = `/accounts/${body.data.id}`;
  expect((await bob.put(path, { name: "Ours" })).body.data.name).toBe("Ours");
  for (const refused of [
    await eve.put(path, { name: "Theirs" }),
    await eve.get(`${path}/uses`),
    await eve.delete(`${path}?force=true`),
    await eve.post("/accounts", { ...GITHUB, org_id: workspace }),
  ])
    expect(refused.status).toBe(404);
  expect((await bob.get(path)).body.data.name).toBe("Ours");
});

test("an account in use is deleted only by force", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id);
  const deployed = await ada.post("/sources", {
    component_code: CODE,
    name: "asking",
    configured_props: { github: { authProvisionId: account } },
  });
  const workflow = await operator.post("/workflows", {
    owner_id: ada.user.id,
    name: "Acting",
    trigger: { type: "http" },
    steps: [
      {
        name: "act",
        component_code: `export default { name: "Act", version: "0.0.1", type: "action",
          props: { github: { type: "app", app: "github" } }, run() {} };`,
        props: { github: { authProvisionId: account } },
      },
    ],
  });
  expect([deployed.status, workflow.status]).toEqual([200, 200]);
  const [source, flow] = [deployed.body.data.id, workflow.body.data.id];
  expect((await ada.get(`/accounts/${account}/uses`)).body.data).toEqual({
    sources: [{ id: source, name: "asking" }],
    workflows: [{ id: flow, name: "Acting" }],
  });
  const refused = await ada.delete(`/accounts/${account}`);
  expect(refused).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining(`asking (${source}), Acting (${flow})`) },
  });
  expect((await ada.delete(`/accounts/${account}?force=true`)).status).toBe(204);
  expect((await ada.get(`/accounts/${account}`)).status).toBe(404);
});

test.for([
  [{ app: "git hub" }, "app"],
  [{ name: "" }, "name"],
  [{ credentials: "sk" }, "credentials"],
  [{ expires_at: -1 }, "expires_at"],
] as const)("an account with %j is refused", async ([change, field]) => {
  const ada = await signUp();
  const refused = await ada.post("/accounts", { ...GITHUB, ...change });
  expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining(field) } });
  expect((await ada.get("/accounts")).body.data).toEqual([]);
});
