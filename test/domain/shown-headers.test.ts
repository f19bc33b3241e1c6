import { expect, test } from "vitest";

import { shownHeaders } from "#domain/shown-headers.ts";

test.for<[string, string]>([
  ["Set-Cookie", "id=1"],
  ["authorization", "Bearer x"],
  ["proxy-authenticate", "Basic"],
  ["x-api-key", "k"],
  ["x-csrf-token", "t"],
  ["x-amz-security-token", "t"],
  ["x-session-id", "s"],
  ["stripe-signature", "s"],
])("hides the value of %s", ([name, value]) => {
  expect(shownHeaders([[name, value]])).toEqual({ [name]: "[hidden]" });
});

test("shows ordinary headers unchanged, and repeated cookies once", () => {
  const headers = new Headers({ "content-type": "text/plain", "retry-after": "5" });
  headers.append("set-cookie", "a=1");
  headers.append("set-cookie", "b=2");
  expect(shownHeaders(headers)).toEqual({
    "content-type": "text/plain",
    "retry-after": "5",
    "set-cookie": "[hidden]",
  });
});

test("limits values, their number and their total size", () => {
  expect(shownHeaders([["x-long", "v".repeat(1000)]])["x-long"]).toBe(`${"v".repeat(512)}…`);
  const many = Array.from({ length: 100 }, (_, n) => [`x-${n}`, "v"] as const);
  expect(Object.keys(shownHeaders(many))).toHaveLength(40);
  const large = Array.from({ length: 40 }, (_, n) => [`x-${n}`, "\u0001".repeat(512)] as const);
  expect(JSON.stringify(shownHeaders(large)).length).toBeLessThan(5000);
  expect(shownHeaders([["x".repeat(1000), ""]])).toEqual({ ["x".repeat(64)]: "" });
});

test("inherited names of objects are ordinary header names", () => {
  expect(Object.entries(shownHeaders([["__proto__", "x"]]))).toEqual([["__proto__", "x"]]);
});

test("omits headers of the connection and the time", () => {
  const headers = {
    Connection: "keep-alive",
    Date: "now",
    "keep-alive": "5",
    te: "trailers",
    a: "1",
  };
  expect(shownHeaders(Object.entries(headers))).toEqual({ a: "1" });
});
