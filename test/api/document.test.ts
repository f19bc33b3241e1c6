import { expect, inject, test } from "vitest";

import { adminOperations, v1Operations } from "../support/operations.ts";

test("the documents are valid OpenAPI 3.1", () => {
  expect(inject("documentFaults")).toEqual({});
});

test("no two schemas have one name, of which the document would show only one", () => {
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

test("the document says of no update that it needs everything", () => {
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
