import { expect, test } from "vitest";

import { responseTo, type Shape } from "../../tools/compat/responses.ts";

const requestOf = (method: string, url = "https://a.test/v1/contact-lists.json?page=1") => ({
  method,
  url,
  headers: {},
  body: "",
});
const bodyOf = (shape: Shape, page = 0) =>
  JSON.parse(responseTo(requestOf("GET"), shape, page).body);

test("responses are JSON with a status that fits the method", () => {
  const statuses = ["GET", "POST", "PUT", "DELETE"].map(
    (method) => responseTo(requestOf(method), "object", 0).status,
  );
  expect(statuses).toEqual([200, 201, 200, 204]);
  expect(responseTo(requestOf("POST"), "read", 0).status).toBe(200);
  expect(responseTo(requestOf("DELETE"), "object", 0).body).toBe("");
  expect(responseTo(requestOf("HEAD"), "object", 0).body).toBe("");
});

test("an object has its items under the names in the request's path", () => {
  expect(bodyOf("object")).toMatchObject({
    id: 1,
    data: [{ id: 1 }],
    "contact-lists": [{ id: 1 }],
    contactLists: [{ id: 1 }],
    has_more: false,
  });
  expect(bodyOf("nested")).toMatchObject({ data: { items: [{ id: 1 }], id: 1 } });
  expect(bodyOf("list")).toMatchObject([{ id: 1 }]);
  expect(bodyOf("empty")).toEqual({});
});

test("lists end for a component that reads all pages", () => {
  expect(bodyOf("list", 1)).toHaveLength(1);
  expect(bodyOf("list", 2)).toEqual([]);
  expect(bodyOf("object", 2).items).toEqual([]);
});

test("ids are numbers, in the shape of texts they are not", () => {
  const bodies = (["object", "text"] as const).map((shape) => bodyOf(shape));
  expect(bodies).toMatchObject([
    { id: 1, uid: "1", items: [{ id: 1 }] },
    { id: "1", items: [{ id: "1" }] },
  ]);
});
