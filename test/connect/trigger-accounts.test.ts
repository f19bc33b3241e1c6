import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { accountOf, newCustomer } from "../support/connect.ts";

test("a trigger lists its deleted and dead accounts", async () => {
  const customer = await newCustomer();
  const { server } = customer;
  const key = `shop-${newToken().toLowerCase()}`;
  const apps = ["first", "second"].map((app) => `${app}: { type: "app", app: "${app}" },`);
  await operator.post("/registry", {
    component_code: `export default {
      key: "${key}", name: "New Order", version: "0.0.1", type: "source",
      props: { http: "$.interface.http", ${apps.join(" ")} }, run() {},
    };`,
  });
  const [first, second] = [
    await accountOf(customer, "one", { app: "first" }),
    await accountOf(customer, "one", { app: "second" }),
  ];
  const deployed = await server.post("/triggers/deploy", {
    id: key,
    external_user_id: "one",
    configured_props: { first: { authProvisionId: first }, second: { authProvisionId: second } },
  });
  const trigger = deployed.body.data;
  expect(trigger.account_errors).toBeUndefined();
  expect((await server.delete(`/accounts/${first}`)).status).toBe(204);
  await env.DB.prepare("UPDATE accounts SET dead = 1, error = 'revoked' WHERE id = ?")
    .bind(second)
    .run();
  const account_errors = [
    { prop: "first", account_id: first, error: "the account does not exist any more" },
    { prop: "second", account_id: second, error: "revoked" },
  ];
  const path = `/deployed-triggers/${trigger.id}`;
  expect((await server.get(`${path}?external_user_id=one`)).body.data).toMatchObject({
    account_errors,
  });
  const { body: listed } = await server.get("/deployed-triggers");
  expect(listed.data).toMatchObject([{ account_errors }]);
  const given = await accountOf(customer, "one", { app: "first" });
  const changed = await server.put(path, {
    external_user_id: "one",
    configured_props: { first: { authProvisionId: given }, second: { authProvisionId: second } },
  });
  expect(changed.body.data.account_errors).toEqual([account_errors[1]]);
});
