import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";

/** Publish an action with options and additional props, and a source, of one app. */
async function newComponents() {
  const app = `shop_${newToken().toLowerCase()}`;
  const [action, source] = [`${app}-order`, `${app}-new-order`];
  const codes = [
    `export default {
      key: "${action}", name: "Place ${app}", version: "0.0.1", type: "action", description: "Orders",
      props: {
        shop: { type: "app", app: "${app}" },
        shelf: { type: "string", useQuery: true, options: async ({ query }) => ["top", "low"].filter((one) => !query || one.includes(query)) },
        size: { type: "integer", reloadProps: true, optional: true },
      },
      additionalProps() { return this.size > 1 ? { gift: { type: "boolean", optional: true } } : {}; },
      run() {},
    };`,
    `export default {
      key: "${source}", name: "New ${app}", version: "0.0.1", type: "source",
      props: { shop: { type: "app", app: "${app}" }, http: "$.interface.http",
        room: { type: "string", options() { throw new Error("no rooms"); } } }, run() {},
    };`,
  ];
  for (const component_code of codes)
    expect((await operator.post("/registry", { component_code })).status).toBe(200);
  return { app, action, source };
}

const keysIn = (body: { data: { key: string }[] }) => body.data.map(({ key }) => key).toSorted();

test("lists components by type, by app and by words", async () => {
  const [customer, { app, action, source }] = [await newCustomer(), await newComponents()];
  const browser = await newBrowser(customer, "one");
  for (const client of [customer.server, browser]) {
    expect(keysIn((await client.get(`/components?app=${app}`)).body)).toEqual([source, action]);
    expect(keysIn((await client.get(`/actions?app=${app}`)).body)).toEqual([action]);
    expect(keysIn((await client.get(`/triggers?app=${app}`)).body)).toEqual([source]);
  }
  const { server } = customer;
  const found = async (query: string): Promise<string[]> =>
    (await server.get(`/components?${query}`)).body.data.map(({ key }: { key: string }) => key);
  expect(await found(`q=${app} place`)).toEqual([action, source]);
  expect(await found(`q=${app} new&component_type=trigger&app=${app}`)).toEqual([source]);
  for (const nothing of ["when is it", "%25", "🎉"])
    expect(await found(`q=${nothing}`)).toEqual([]);
  const one = await server.get(`/components?app=${app}&limit=1`);
  expect(one.body.page_info).toMatchObject({ total_count: 2, count: 1 });
  const rest = await server.get(
    `/components?app=${app}&limit=1&after=${one.body.page_info.end_cursor}`,
  );
  expect(keysIn({ data: [...one.body.data, ...rest.body.data] })).toEqual([source, action]);
});

test("reads a component by its key, under its own type", async () => {
  const [{ server }, { action }] = [await newCustomer(), await newComponents()];
  const { body } = await server.get(`/actions/${action}`);
  expect(body.data).toMatchObject({
    key: action,
    version: "0.0.1",
    description: "Orders",
    component_type: "action",
    configurable_props: [
      { name: "shop" },
      { name: "shelf", remoteOptions: true },
      { name: "size" },
    ],
  });
  expect((await server.get(`/components/${action}?version=0.0.1`)).body).toEqual(body);
  expect((await server.get(`/components/${action}?version=0.0.2`)).status).toBe(404);
  expect((await server.get(`/triggers/${action}`)).status).toBe(404);
});

test("a customer's own component overrides the registry's, for that customer alone", async () => {
  const [customer, stranger, { action, app }] = [
    await newCustomer(),
    await newCustomer(),
    await newComponents(),
  ];
  await customer.ada.post("/components", {
    component_code: `export default { key: "${action}", name: "Ours", version: "9.0.0", type: "action", props: {}, run() {} };`,
  });
  expect((await customer.server.get(`/actions/${action}`)).body.data.name).toBe("Ours");
  expect((await stranger.server.get(`/actions/${action}`)).body.data.version).toBe("0.0.1");
  expect((await stranger.server.get(`/actions?app=${app}`)).body.data).toHaveLength(1);
});

test("returns the options of a prop, or an error of the component", async () => {
  const [{ server }, { action, source }] = [await newCustomer(), await newComponents()];
  const query = { id: action, external_user_id: "one", prop_name: "shelf", configured_props: {} };
  const { status, body } = await server.post("/actions/configure", query);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { string_options: ["top", "low"], errors: [], context: null },
  });
  const found = await server.post("/components/configure", { ...query, query: "lo" });
  expect(found.body.options).toEqual([{ label: "low", value: "low" }]);
  const failing = await server.post("/triggers/configure", {
    ...query,
    id: source,
    prop_name: "room",
  });
  expect(failing).toMatchObject({ status: 200, body: { options: [] } });
  expect(failing.body.errors).toEqual([expect.stringContaining("no rooms")]);
  const unknown = await server.post("/actions/configure", { ...query, prop_name: "none" });
  expect(unknown).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("prop_name") },
  });
});

test("returns additional props under the names that each client reads", async () => {
  const [{ server }, { action }] = [await newCustomer(), await newComponents()];
  const input = { id: action, external_user_id: "one", configured_props: { size: 2 } };
  const reload = async (language?: string) => {
    const headers = language === undefined ? {} : { "x-fern-language": language };
    return (await server.post("/actions/props", input, headers)).body;
  };
  for (const language of [undefined, "JavaScript"]) {
    const { dynamic_props: ours, dynamicProps: theirs } = await reload(language);
    expect(theirs).toEqual({ id: ours.id, configurableProps: ours.configurable_props });
  }
  const body = await reload("Python");
  expect(body.dynamic_props.configurable_props).toContainEqual(
    expect.objectContaining({ name: "gift" }),
  );
  expect(body).not.toHaveProperty("dynamicProps");
});

test("returns additional props, with an id that one user alone may use", async () => {
  const [{ server }, { action }] = [await newCustomer(), await newComponents()];
  const input = { id: action, external_user_id: "one", configured_props: { size: 2 } };
  const { body } = await server.post("/actions/props", input);
  const names = body.dynamic_props.configurable_props.map(({ name }: { name: string }) => name);
  expect(names).toContain("gift");
  const { id: dynamic_props_id } = body.dynamic_props;
  const known = { ...input, prop_name: "shelf", dynamic_props_id };
  expect((await server.post("/actions/configure", known)).status).toBe(200);
  const other = await server.post("/actions/configure", { ...known, external_user_id: "two" });
  expect(other).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("dynamic_props_id") },
  });
});
