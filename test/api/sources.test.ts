import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { request, signUp, workspaceOf } from "../support/client.ts";
import { HTTP_SOURCE, TIMER_SOURCE } from "../support/source-code.ts";
import { runsCommitted } from "../support/source-tables.ts";

const path = (url: string) => url.slice("http://wellspring.test".length);

test("a source is deployed from code, receives an event, and is read, listed and deleted", async () => {
  const ada = await signUp();

  const created = await ada.post("/sources", {
    component_code: HTTP_SOURCE,
    configured_props: { shop: "Analytical Engines" },
  });
  expect(created).toMatchObject({ status: 200 });
  const { data } = created.body;
  expect(data).toEqual({
    id: expect.stringMatching(/^dc_/),
    user_id: ada.user.id,
    component_id: expect.stringMatching(/^sc_/),
    configured_props: {
      http: { endpoint_url: expect.stringMatching(/^http:\/\/wellspring\.test\/e\/[\da-z]{52}$/) },
      shop: "Analytical Engines",
      limit: 10,
    },
    active: true,
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
    name: "new-order",
    name_slug: "new-order",
  });
  expect(await ada.get(`/components/${data.component_id}`)).toMatchObject({
    body: { data: { code: HTTP_SOURCE } },
  });

  const endpoint = path(data.configured_props.http.endpoint_url);
  expect(await request("POST", endpoint, { body: { n: 1 } })).toMatchObject({ status: 200 });
  await runsCommitted(data.id);
  expect(await ada.get(`/sources/${data.id}/event_summaries`)).toMatchObject({
    body: { data: [{ event: { shop: "Analytical Engines", limit: 10, got: { n: 1 } } }] },
  });

  expect((await ada.get(`/sources/${data.id}`)).body).toEqual({ data });
  expect((await ada.get("/users/me/sources/")).body).toEqual({
    page_info: {
      total_count: 1,
      count: 1,
      start_cursor: expect.any(String),
      end_cursor: expect.any(String),
    },
    data: [data],
  });

  expect(await ada.delete(`/sources/${data.id}`)).toMatchObject({ status: 204, body: undefined });
  expect(await ada.delete(`/sources/${data.id}`)).toMatchObject({ status: 404 });
  expect(await ada.get(`/sources/${data.id}`)).toMatchObject({ status: 404 });
  expect(await ada.get("/users/me/sources")).toMatchObject({ body: { data: [] } });
  expect(await request("POST", endpoint, { body: {} })).toMatchObject({ status: 404 });
});

test("a source is deployed from a saved component, by id or by key", async () => {
  const ada = await signUp();
  const code = `export default { key: "quiet", name: "Quiet", version: "1" }`;
  const component = (await ada.post("/components", { component_code: code })).body.data;

  const byId = await ada.post("/sources", {
    component_id: component.id,
    component_code: "not even read",
    name: "My Source",
  });
  expect(byId).toMatchObject({
    status: 200,
    body: { data: { component_id: component.id, name: "My Source", name_slug: "my-source" } },
  });
  expect(await ada.post("/sources", { key: "quiet" })).toMatchObject({
    status: 200,
    body: { data: { component_id: component.id, name: "quiet" } },
  });
});

test("a timer is shown with its interval or its cron expression", async () => {
  const ada = await signUp();
  const create = async (timer?: object) => {
    const configured_props = timer && { timer };
    const { body } = await ada.post("/sources", { component_code: TIMER_SOURCE, configured_props });
    return body.data.configured_props;
  };
  expect(await create()).toEqual({ timer: { cron: null, interval_seconds: 900 } });
  expect(await create({ intervalSeconds: 60 })).toEqual({
    timer: { cron: null, interval_seconds: 60 },
  });
  expect(await create({ cron: "0 9 * * 1" })).toEqual({
    timer: { cron: "0 9 * * 1" },
  });
});

test("a secret reaches the component, and no response contains it", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", {
    component_code: HTTP_SOURCE,
    configured_props: { shop: "a", token: "s3cret-value" },
  });
  const { data } = body;
  expect(JSON.stringify(body)).not.toContain("s3cret-value");
  expect(JSON.stringify((await ada.get(`/sources/${data.id}`)).body)).not.toContain("s3cret-value");
  const { results } = await env.DB.prepare("SELECT * FROM sources WHERE id = ?")
    .bind(data.id)
    .all();
  expect(JSON.stringify(results)).not.toContain("s3cret-value");

  await request("POST", path(data.configured_props.http.endpoint_url), { body: {} });
  await runsCommitted(data.id);
  expect(await ada.get(`/sources/${data.id}/event_summaries`)).toMatchObject({
    body: { data: [{ event: { token: "s3cret-value" } }] },
  });
});

test("sources with one name get different slugs, even if they are created at once", async () => {
  const ada = await signUp();
  const code = `export default { name: "Same Name", version: "1" }`;
  const { data } = (await ada.post("/components", { component_code: code })).body;

  const answers = await Promise.all(
    Array.from({ length: 6 }, () => ada.post("/sources", { component_id: data.id })),
  );
  const slugs: string[] = answers.map(({ body }) => body.data.name_slug);
  const numbered = [2, 3, 4, 5, 6].map((n) => `same-name-${n}`);
  expect(new Set(slugs)).toEqual(new Set(["same-name", ...numbered]));
  const eve = await signUp();
  expect((await eve.post("/sources", { component_code: code })).body.data.name_slug).toBe(
    "same-name",
  );
});

test("a workspace's sources are visible to its members under both paths, and to nobody else", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const org = await workspaceOf(ada, bob);
  const created = await ada.post("/sources", { component_code: TIMER_SOURCE, org_id: org });
  const { data } = created.body;

  for (const list of [`/orgs/${org}/sources`, `/workspaces/${org}/sources`])
    expect(await bob.get(list)).toMatchObject({ status: 200, body: { data: [data] } });
  expect(await bob.get("/users/me/sources")).toMatchObject({ body: { data: [] } });
  expect(await bob.get(`/sources/${data.id}`)).toMatchObject({ status: 200, body: { data } });

  const requests = [
    eve.get(`/orgs/${org}/sources`),
    eve.get(`/sources/${data.id}`),
    eve.put(`/sources/${data.id}`, { active: false }),
    eve.delete(`/sources/${data.id}`),
    eve.get(`/sources/${data.id}/event_summaries`),
    eve.delete(`/sources/${data.id}/events`),
    eve.post("/sources", { component_id: data.component_id }),
    eve.post("/sources", { component_code: TIMER_SOURCE, org_id: org }),
  ];
  for (const refused of await Promise.all(requests))
    expect(refused).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await bob.delete(`/sources/${data.id}`)).toMatchObject({ status: 204 });
});

test("pages follow each other in both directions, newest first", async () => {
  const ada = await signUp();
  const code = `export default { name: "n", version: "1" }`;
  const { data } = (await ada.post("/components", { component_code: code })).body;
  for (const name of ["1", "2", "3", "4", "5"])
    await ada.post("/sources", { component_id: data.id, name });

  const page = async (query: string) => {
    const { body } = await ada.get(`/users/me/sources?limit=2${query}`);
    return { ...body.page_info, names: body.data.map(({ name }: { name: string }) => name) };
  };
  const first = await page("");
  expect(first).toMatchObject({ total_count: 5, count: 2, names: ["5", "4"] });
  const second = await page(`&after=${first.end_cursor}`);
  expect(second.names).toEqual(["3", "2"]);
  const third = await page(`&after=${second.end_cursor}`);
  expect(third).toMatchObject({ count: 1, names: ["1"] });
  expect((await page(`&before=${third.start_cursor}`)).names).toEqual(["3", "2"]);
  expect(await page(`&before=${first.start_cursor}`)).toEqual({
    total_count: 5,
    count: 0,
    start_cursor: null,
    end_cursor: null,
    names: [],
  });
});

test.for([
  "limit=0",
  "limit=101",
  "limit=x",
  "limit=1.5",
  "after=nonsense",
  "after=cjE&before=cjE",
])("rejects a page with %s", async (query) => {
  const ada = await signUp();
  expect(await ada.get(`/users/me/sources?${query}`)).toMatchObject({
    status: 400,
    body: { code: "invalid_input" },
  });
});

const ACTION = `export default { name: "n", version: "1", type: "action", run() {} }`;

test.for([
  ["no component", {}, /component_id/],
  ["an invalid URL", { component_url: "example.com" }, /component_url/],
  ["an action", { component_code: ACTION }, /action/],
  ["no values", { component_code: HTTP_SOURCE }, /configured_props\.shop: is required/],
  [
    "a wrong and an unknown value",
    { component_code: HTTP_SOURCE, configured_props: { shop: 1, limit: 0, more: 2 } },
    /configured_props\.more: .*configured_props\.shop: .*configured_props\.limit: /,
  ],
  [
    "a short interval",
    { component_code: TIMER_SOURCE, configured_props: { timer: { intervalSeconds: 5 } } },
    /configured_props\.timer: .*15/,
  ],
  ["a list of values", { component_code: HTTP_SOURCE, configured_props: [] }, /object/],
  ["an empty name", { component_code: TIMER_SOURCE, name: " " }, /name/],
  ["an invalid component id", { component_id: "dc_1" }, /component_id/],
] as const)("rejects a source with %s, and stores nothing", async ([, body, error]) => {
  const ada = await signUp();
  expect(await ada.post("/sources", body)).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(error), code: "invalid_input" },
  });
  expect(await rowsOf(ada.user.id)).toEqual({ sources: 0, components: 0 });
});

test("a component that does not exist is not found", async () => {
  const ada = await signUp();
  for (const body of [{ component_id: "sc_none" }, { key: "none" }])
    expect(await ada.post("/sources", body)).toMatchObject({ status: 404 });
});

test("values may be JSON text in the query string", async () => {
  const ada = await signUp();
  const values = encodeURIComponent('{"shop":"a"}');
  const { data } = (await ada.post("/components", { component_code: HTTP_SOURCE })).body;
  expect(
    await ada.post(`/sources?component_id=${data.id}&configured_props=${values}`),
  ).toMatchObject({ status: 200, body: { data: { configured_props: { shop: "a" } } } });
});

async function rowsOf(owner: string) {
  const count = async (table: string) =>
    (
      await env.DB.prepare(`SELECT count(*) AS count FROM ${table} WHERE owner_id = ?`)
        .bind(owner)
        .first<{ count: number }>()
    )?.count;
  return { sources: await count("sources"), components: await count("components") };
}

test.for([
  ["that never names respond", ``, 200],
  ["that did not respond this time", `if (event.body) this.http.respond({ status: 201 });`, 400],
  [
    "that names it as a string",
    `const method = "respond"; if (event.body) this.http[method]();`,
    400,
  ],
  ["that failed", `throw new Error("broken");`, 502],
] as const)("a component with a custom response %s: %i", async ([, body, status]) => {
  const ada = await signUp();
  const created = await ada.post("/sources", {
    component_code: `export default { name: "N", version: "0.0.1", props: { http: { type: "$.interface.http", customResponse: true } }, run(event) { ${body} } };`,
  });
  const endpoint = path(created.body.data.configured_props.http.endpoint_url);
  expect(await request("POST", endpoint)).toMatchObject({ status });
});
