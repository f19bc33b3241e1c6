// @suites loader

import { expect, test } from "vitest";

import { GITHUB } from "../support/alerts.ts";
import { operator, signUp, workspaceOf } from "../support/client.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const component = (key: string, version = "1.0.0") =>
  `export default { key: "${key}", name: "Orders of ${key}", version: "${version}", run() {} }`;

const HOOK = "http://127.0.0.1:9/orders";

async function made(client: Client, path: string, body: object): Promise<string> {
  const answer = await client.post(path, body);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return (answer.body.data ?? answer.body).id;
}

const found = async (client: Client, q: string, more = "") => {
  const { body } = await client.get(`/search?q=${encodeURIComponent(q)}${more}`);
  return body.data as { type: string; id: string; name: string; detail: string | null }[];
};

test("one search finds everything by a part of its name, with its owner", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada);
  const source = await made(ada, "/sources", {
    component_code: component("shop"),
    name: "New Orders",
  });
  const webhook = await made(ada, "/webhooks", { url: HOOK, org_id: workspace });
  const account = await made(ada, "/accounts", { ...GITHUB, name: "Orders desk" });
  const store = await made(ada, "/data_stores", { name: "orders" });
  const step = { name: "one", component_code: "export default () => 1" };
  const workflow = await made(ada, "/workflows", { name: "Count orders", steps: [step] });
  const project = await made(ada, "/connect/projects", { name: "Orders for all" });
  await made(ada, "/components", { component_code: component("shop", "1.0.1") });
  const all = await found(ada, "ORDERS");
  expect(all.map(({ type, id }) => [type, type === "component" ? "" : id])).toEqual(
    expect.arrayContaining([
      ["source", source],
      ["webhook", webhook],
      ["account", account],
      ["data_store", store],
      ["workflow", workflow],
      ["project", project],
      ["component", ""],
    ]),
  );
  // Of several components with one key, only the newest.
  expect(all).toHaveLength(7);
  expect(all[0]).toMatchObject({ type: "data_store", name: "orders" });
  const of = (type: string) => all.find((one) => one.type === type);
  expect(of("webhook")).toMatchObject({ name: HOOK, detail: HOOK, owner_id: workspace });
  expect(of("account")).toMatchObject({ detail: "github", owner_id: ada.user.id });
  expect(of("source")).toMatchObject({ detail: "new-orders" });
  expect((await found(ada, source.slice(0, 12))).map(({ id }) => id)).toEqual([source]);
  expect(await found(ada, "orders", `&org_id=${workspace}`)).toHaveLength(1);
  expect(await found(ada, "orders", "&limit=2")).toHaveLength(2);
  expect(await found(eve, "orders")).toEqual([]);
  expect((await eve.get(`/search?q=orders&org_id=${workspace}`)).status).toBe(404);
  expect((await ada.get("/search?q=%20")).status).toBe(400);
});

test("a query that contains pattern characters is matched literally", async () => {
  const ada = await signUp();
  await made(ada, "/data_stores", { name: "a%b_c'd" });
  expect(await found(ada, "%b_c'")).toHaveLength(1);
  expect(await found(ada, "_%_")).toEqual([]);
});

test.for(["sources", "webhooks"])(
  "%s are listed by a part of the name and by activity",
  async (kind) => {
    const [ada, bob] = [await signUp(), await signUp()];
    const workspace = await workspaceOf(bob);
    const fields = kind === "sources" ? { component_code: component("list") } : { url: HOOK };
    const ids: string[] = [];
    // No random id has so long a word.
    for (const name of ["Crimson one", "crimson two", "blue"])
      ids.push(await made(ada, `/${kind}`, { ...fields, name }));
    const off = ids[1] ?? "";
    await ada.put(`/${kind}/${off}`, { active: false });
    const listed = async (query: string) => {
      const { body } = await ada.get(`/users/me/${kind}${query}`);
      return [body.page_info.total_count, body.data.map(({ id }: { id: string }) => id)];
    };
    expect(await listed("")).toEqual([3, ids.toReversed()]);
    expect(await listed("?q=CRIMSON")).toEqual([2, [ids[1], ids[0]]]);
    expect(await listed("?q=crimson&limit=1")).toEqual([2, [ids[1]]]);
    expect(await listed("?active=false")).toEqual([1, [off]]);
    expect(await listed("?q=crimson&active=true")).toEqual([1, [ids[0]]]);
    expect(await listed(`?q=${ids[2]}`)).toEqual([1, [ids[2]]]);
    expect((await ada.get(`/users/me/${kind}?active=perhaps`)).status).toBe(400);
    await made(bob, `/${kind}`, { ...fields, name: "crimson", org_id: workspace });
    const { body } = await bob.get(`/workspaces/${workspace}/${kind}?q=crimson`);
    expect(body.page_info.total_count).toBe(1);
  },
);

test("workflows and accounts are listed by a part of the name", async () => {
  const ada = await signUp();
  const step = { name: "one", component_code: "export default () => 1" };
  for (const name of ["Crimson", "Blue"]) {
    await made(ada, "/workflows", { name, steps: [step] });
    await made(ada, "/accounts", { ...GITHUB, name });
  }
  for (const path of ["/workflows", "/accounts"]) {
    const { body } = await ada.get(`${path}?q=crimson`);
    expect([path, body.page_info.total_count, body.data.length]).toEqual([path, 1, 1]);
    expect(body.data[0].name).toBe("Crimson");
  }
  expect((await ada.get("/accounts?q=GitHub")).body.page_info.total_count).toBe(2);
  expect((await ada.get("/workflows?active=false")).body.page_info.total_count).toBe(0);
  expect((await operator.get("/accounts?limit=1")).status).toBe(200);
});
