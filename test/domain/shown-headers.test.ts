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
])("the value of %s is hidden", ([name, value]) => {
  expect(shownHeaders([[name, value]])).toEqual({ [name]: "[hidden]" });
});

test("ordinary headers are shown as they are, repeated cookies once", () => {
  const headers = new Headers({ "content-type": "text/plain", "retry-after": "5" });
  headers.append("set-cookie", "a=1");
  headers.append("set-cookie", "b=2");
  expect(shownHeaders(headers)).toEqual({
    "content-type": "text/plain",
    "retry-after": "5",
    "set-cookie": "[hidden]",
  });
});

test("values, their number and all of them together are bounded", () => {
  expect(shownHeaders([["x-long", "v".repeat(1000)]])["x-long"]).toBe(`${"v".repeat(512)}…`);
  const many = Array.from({ length: 100 }, (_, n) => [`x-${n}`, "v"] as const);
  expect(Object.keys(shownHeaders(many))).toHaveLength(40);
  const large = Array.from({ length: 40 }, (_, n) => [`x-${n}`, "\u0001".repeat(512)] as const);
  expect(JSON.stringify(shownHeaders(large)).length).toBeLessThan(5000);
  expect(shownHeaders([["x".repeat(1000), ""]])).toEqual({ ["x".repeat(64)]: "" });
});

test("names that objects have of their own are names as others", () => {
  expect(Object.entries(shownHeaders([["__proto__", "x"]]))).toEqual([["__proto__", "x"]]);
});

test("headers of the connection and the time are left out", () => {
  const headers = {
    Connection: "keep-alive",
    Date: "now",
    "keep-alive": "5",
    te: "trailers",
    a: "1",
  };
  expect(shownHeaders(Object.entries(headers))).toEqual({ a: "1" });
});
