// @suites loader

import { expect, test } from "vitest";

import { operator, request } from "../support/client.ts";
import { adminOperations, v1Operations } from "../support/operations.ts";

test("no two schemas have the same name, because the document would show only one", () => {
  const sources: Record<string, string> = import.meta.glob("../../src/worker/http/**/*.ts", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const names = Object.values(sources).flatMap((source) =>
    [...source.matchAll(/\.openapi\("(\w+)"\)/g)].map(([, schema]) => schema),
  );
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((schema, index) => names.indexOf(schema) !== index)).toEqual([]);
});

test("the document requires no field of an update", () => {
  const updates = [...v1Operations, ...adminOperations].filter(({ operation }) =>
    operation.operationId.startsWith("update"),
  );
  expect(updates.length).toBeGreaterThan(2);
  for (const { operation } of updates)
    expect(operation.requestBody).not.toHaveProperty(
      ["content", "application/json", "schema", "required"],
      expect.anything(),
    );
});

test("the document of the API is public, that of the operator plane is not", async () => {
  const open = await request("GET", "/v1/openapi.json");
  expect(open).toMatchObject({
    status: 200,
    body: { openapi: "3.1.0", servers: [{ url: "/v1" }] },
  });
  expect(open.body.components.securitySchemes).toHaveProperty("bearer");
  expect(await request("GET", "/admin/openapi.json")).toMatchObject({ status: 401 });
  expect(await operator.get("/openapi.json")).toMatchObject({ status: 200 });
});
