import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newCustomer } from "../support/connect.ts";

async function newTrigger({ server }: Awaited<ReturnType<typeof newCustomer>>) {
  const id = `shop-${newToken().toLowerCase()}`;
  await operator.post("/registry", {
    component_code: `export default { key: "${id}", name: "New Order", version: "0.0.1", type: "source",
      props: { http: "$.interface.http" }, run({ body }) { this.$emit(body); } };`,
  });
  const deployed = await server.post("/triggers/deploy", { id, external_user_id: "one" });
  expect(deployed.status).toBe(200);
  return deployed.body.data;
}

test("a user with an API key reads, changes and deletes a trigger without the external user's id", async () => {
  const customer = await newCustomer();
  const trigger = await newTrigger(customer);
  const path = `/connect/${customer.project}/deployed-triggers/${trigger.id}`;
  const { ada } = customer;
  expect((await ada.get(path)).body.data).toEqual(trigger);
  const paused = await ada.put(path, { active: false });
  expect(paused.body.data).toMatchObject({ active: false, owner_id: trigger.owner_id });
  expect((await ada.get(`${path}/webhooks`)).body.webhook_urls).toEqual([]);
  expect((await ada.get(`${path}/events`)).body.data).toEqual([]);
  expect((await ada.delete(path)).status).toBe(204);
  expect((await ada.get(path)).status).toBe(404);
});

test("a server must name the external user of a trigger", async () => {
  const customer = await newCustomer();
  const { id } = await newTrigger(customer);
  const { server } = customer;
  const path = `/deployed-triggers/${id}`;
  for (const refused of [
    await server.get(path),
    await server.put(path, { active: false }),
    await server.delete(path),
  ])
    expect(refused).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("external_user_id") },
    });
  const { body } = await server.get(`${path}?external_user_id=one`);
  expect(body.data).toMatchObject({ active: true });
});

test("the id of a trigger is not found in another project or environment, or for another external user", async () => {
  const [customer, stranger] = [await newCustomer(), await newCustomer()];
  const { id } = await newTrigger(customer);
  const { ada, project } = customer;
  const other = await ada.post("/connect/projects", { name: "Other" });
  const at = (name: string) => `/connect/${name}/deployed-triggers/${id}`;
  const development = { "x-pd-environment": "development" };
  for (const hidden of [
    await ada.get(at(project), undefined, development),
    await ada.delete(at(project), undefined, development),
    await ada.delete(at(other.body.id)),
    await ada.delete(`${at(project)}?external_user_id=two`),
    await stranger.ada.delete(at(project)),
    await stranger.ada.put(at(stranger.project), { active: false }),
  ])
    expect(hidden.status).toBe(404);
  expect((await ada.get(at(project))).body.data).toMatchObject({ active: true });
});
