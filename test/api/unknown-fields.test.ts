// @suites loader

import { expect, test } from "vitest";

import { operator, signUp, workspaceOf } from "../support/client.ts";

const CODE =
  "export default { name: 'Orders', version: '0.0.1', props: { http: '$.interface.http' }, run() {} };";

test("the response lists an unknown field of a body", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", { component_code: CODE, nmae: "Orders" });
  expect(body.warnings).toEqual(["nmae: is not a known field"]);
  const changed = await ada.put(`/sources/${body.data.id}`, { activ: false, name: "Orders", 2: 1 });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      data: { active: true, name: "Orders" },
      warnings: ["2: is not a known field", "activ: is not a known field"],
    },
  });
});

test("a refused body has its unknown fields among the issues", async () => {
  const ada = await signUp();
  const refused = await ada.post("/sources", { componentCode: CODE, name: 1 });
  expect(refused.status).toBe(400);
  expect(refused.body.error).toMatch(/^name: .*; componentCode: is not a known field$/);
  expect(refused.body.details.issues).toContainEqual({
    path: "componentCode",
    message: "is not a known field",
  });
  const { body } = await ada.post("/actions/run", { code: CODE });
  expect(body.error).toMatch(/component_id, key.* is required; code: is not a known field$/);
});

test("does not list fields of every operation or of the query string", async () => {
  const ada = await signUp();
  const org_id = await workspaceOf(ada);
  const query = "/sources?anything=1";
  const answer = await ada.post(query, { component_code: CODE, org_id, include: "id" });
  expect(answer).toMatchObject({ status: 200, body: { data: { id: expect.any(String) } } });
  expect(Object.keys(answer.body)).toEqual(["data"]);
});

test("warns operators of unknown fields, and of no others", async () => {
  const user = { username: "ada", email: `${crypto.randomUUID()}@example.com` };
  expect((await operator.post("/users", { ...user, pln: "paid" })).body.warnings).toEqual([
    "pln: is not a known field",
  ]);
  const other = { ...user, email: `${crypto.randomUUID()}@example.com`, plan: "paid" };
  expect((await operator.post("/users", other)).body.warnings).toBeUndefined();
});
