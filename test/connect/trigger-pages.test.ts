// @suites loader

import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newCustomer } from "../support/connect.ts";

test("pages of all users' triggers follow each other in both directions, newest first", async () => {
  const { server } = await newCustomer();
  const key = `shop-${newToken().toLowerCase()}`;
  await operator.post("/registry", {
    component_code: `export default {
      key: "${key}", name: "Order", version: "0.0.1", type: "source",
      props: { http: "$.interface.http" }, run() {},
    };`,
  });
  const ids: string[] = [];
  for (const external_user_id of ["one", "two", "gone", "one"]) {
    const { body } = await server.post("/triggers/deploy", { id: key, external_user_id });
    ids.unshift(body.data.id);
  }
  expect((await server.delete("/users/gone")).status).toBe(204);
  const [newest, , middle, oldest] = ids;
  const list = async (query: string) => {
    const { body } = await server.get(`/deployed-triggers?limit=2&${query}`);
    return { page: body.page_info, ids: body.data.map(({ id }: { id: string }) => id) };
  };
  const first = await list("");
  expect(first).toMatchObject({ ids: [newest, middle], page: { total_count: 3, count: 2 } });
  const second = await list(`after=${first.page.end_cursor}`);
  expect(second).toMatchObject({ ids: [oldest], page: { total_count: 3, count: 1 } });
  const back = await list(`before=${second.page.start_cursor}`);
  expect(back.ids).toEqual([newest, middle]);
  const { server: other } = await newCustomer();
  for (const refused of [
    await other.get(`/deployed-triggers?after=${first.page.end_cursor}`),
    await server.get(`/deployed-triggers?after=${first.page.end_cursor}A`),
    await server.get(`/accounts?after=${first.page.end_cursor}`),
  ])
    expect(refused).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: "after" }] } },
    });
  const own = await list("external_user_id=one");
  expect(own).toMatchObject({ ids: [newest, oldest], page: { total_count: 2 } });
});
