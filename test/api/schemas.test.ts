// @suites loader

import { exports } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import component from "../../docs/schemas/component.json" with { type: "json" };
import workflow from "../../docs/schemas/workflow.json" with { type: "json" };
import { operator, ORIGIN, request, signUp } from "../support/client.ts";
import { WORKFLOWS } from "../support/schema-documents.ts";

const open = (path: string, init?: RequestInit) => exports.default.fetch(`${ORIGIN}${path}`, init);

test.for([
  ["/schemas/workflow.json", workflow],
  ["/schemas/component.json", component],
  ["/schemas/workflow.json/", workflow],
] as const)("%s is public, and readable by pages of any origin", async ([path, schema]) => {
  const response = await open(path, { headers: { origin: "https://editor.example" } });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/schema+json",
    "access-control-allow-origin": "*",
    "cache-control": "public, max-age=3600",
    "x-content-type-options": "nosniff",
  });
  expect(await response.json()).toEqual(schema);
});

test("a schema responds to GET and HEAD only, and only at its own path", async () => {
  const head = await open("/schemas/workflow.json", { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const preflight = await open("/schemas/workflow.json", {
    method: "OPTIONS",
    headers: { origin: "https://editor.example", "access-control-request-method": "GET" },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  const posted = await request("POST", "/schemas/workflow.json", { body: {} });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  for (const path of ["/schemas", "/schemas/source.json", "/schemas/workflowXjson"])
    expect(await request("GET", path)).toMatchObject({ status: 404 });
});

let ada: Awaited<ReturnType<typeof signUp>>;

beforeAll(async () => {
  ada = await signUp();
});

test.for(WORKFLOWS)(
  "the API's result for a workflow with $what: $expected",
  async ({ fields, expected }) => {
    const { status, body } = await operator.post("/workflows", {
      owner_id: ada.user.id,
      ...fields,
    });
    expect([status, body]).toEqual([expected === "accepted" ? 200 : 400, expect.anything()]);
  },
);

test("an update also ignores the name of a schema", async () => {
  const steps = [{ name: "one", component_code: "export default { run() {} }" }];
  const $schema = `${ORIGIN}/schemas/workflow.json`;
  const created = await ada.post("/workflows", { $schema, name: "Named", steps });
  expect(created).toMatchObject({ status: 200, body: { data: { name: "Named" } } });
  expect(created.body.data).not.toHaveProperty("$schema");
  const changed = await ada.put(`/workflows/${created.body.data.id}`, { $schema, active: false });
  expect(changed).toMatchObject({ status: 200, body: { data: { active: false } } });
  expect(changed.body.data).not.toHaveProperty("$schema");
});
