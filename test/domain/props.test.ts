import { expect, test } from "vitest";

import type { PropDefinition } from "#domain/definition.ts";
import type { Json } from "#domain/json.ts";
import {
  checkDeclared,
  checkProps,
  checkUnfinished,
  mergeValues,
  shownValues,
  type Values,
} from "#domain/props.ts";

/** Check values of one prop with the name `x`. */
function check(prop: { type: string } & Values, given?: Json) {
  return checkProps([{ name: "x", ...prop }], given === undefined ? {} : { x: given });
}

/** The violations of a value of one prop. */
function problems(prop: { type: string } & Values, given?: Json): string[] {
  const result = check(prop, given);
  return result.ok ? [] : result.issues.map(({ message }) => message);
}

const options = ["a", { label: "B", value: "b" }];

test.for<[{ type: string } & Values, Json, Json?]>([
  [{ type: "string" }, "text"],
  [{ type: "string" }, ""],
  [{ type: "string[]" }, ["a", "b"]],
  [{ type: "string", options }, "b"],
  [{ type: "string[]", options }, ["a", "b"]],
  [{ type: "string", options: [] }, "whatever"],
  [{ type: "string", remoteOptions: true }, "whatever"],
  [{ type: "string", remoteOptions: true }, 25],
  [{ type: "string[]", remoteOptions: true }, [7, "a"]],
  [{ type: "string[]", remoteOptions: true }, { __lv: [{ label: "A", value: 7 }] }, [7]],
  [{ type: "integer", remoteOptions: true }, "3"],
  [{ type: "string", options: [1, { label: "B", value: 2 }] }, 2],
  [{ type: "number", min: 0.5 }, 1.5],
  [{ type: "number[]" }, [1, 2.5]],
  [{ type: "boolean" }, false],
  [{ type: "boolean[]" }, [true, false]],
  [{ type: "integer", min: 1, max: 3 }, 3],
  [{ type: "integer[]" }, [1, -2]],
  [{ type: "integer", options: [1, 2] }, 2],
  [{ type: "object" }, { a: { b: [] } }],
  [{ type: "any" }, [1, "a", null]],
  [{ type: "data_store" }, "ds_1"],
  [{ type: "http_request" }, { url: "https://a.test" }],
  [
    { type: "http_request" },
    {
      method: "post",
      url: "http://a.test/x?y=1",
      auth: { type: "bearer", token: "t" },
      headers: [{ name: "x", value: "1", disabled: true }],
      params: [{ name: "page", value: 2 }, { name: "" }],
      body: { any: "thing" },
    },
  ],
  [
    { type: "http_request" },
    { url: "https://a.test", auth: { type: "basic", username: "a" }, headers: null },
  ],
  [{ type: "sql" }, "SELECT 1", { query: "SELECT 1", params: [] }],
  [{ type: "sql" }, { value: "SELECT 1" }, { value: "SELECT 1", query: "SELECT 1", params: [] }],
  [{ type: "sql" }, { query: "SELECT ?", params: [1, null] }],
  [{ type: "of the future" }, { kept: true }],
  [{ type: "app", app: "github" }, { authProvisionId: "apn_1" }],
  [
    { type: "app", app: "github" },
    { authProvisionId: "apn_1", $auth: { token: 1 } },
    { authProvisionId: "apn_1" },
  ],
  [{ type: "string" }, { __lv: { label: "A", value: "a" } }, "a"],
  [{ type: "string[]" }, [{ __lv: { label: "A", value: "a" } }, "b"], ["a", "b"]],
  [{ type: "string[]" }, { __lv: [{ label: "A", value: "a" }] }, ["a"]],
  [
    { type: "string", withLabel: true },
    { __lv: { label: "A", value: "a" } },
    { label: "A", value: "a" },
  ],
  [{ type: "string", withLabel: true }, "a", { label: "a", value: "a" }],
  [{ type: "string", withLabel: true, options }, "b", { label: "B", value: "b" }],
  [
    { type: "string[]", withLabel: true, options },
    ["b", { __lv: { label: "mine", value: "a" } }],
    [
      { label: "B", value: "b" },
      { label: "mine", value: "a" },
    ],
  ],
  [{ type: "integer[]", withLabel: true }, [1], [{ label: "1", value: 1 }]],
  [{ type: "any" }, { __lv: { label: "A", value: { a: 1 } } }, { a: 1 }],
  [{ type: "string", options: [{ label: "Both" }] }, "Both"],
  [{ type: "string", disabled: true }, "kept"],
  [{ type: "string", hidden: true }, "kept"],
])("%j accepts %j", ([prop, given, stored = given]) => {
  expect(check(prop, given)).toEqual({ ok: true, values: { x: stored } });
  expect(check(prop, stored)).toEqual({ ok: true, values: { x: stored } });
});

test.for<[{ type: string } & Values, Json, RegExp]>([
  [{ type: "http_request" }, "https://a.test", /must be an object like/],
  [{ type: "http_request" }, {}, /its url must be an http or https URL/],
  [{ type: "http_request" }, { url: "ftp://a.test" }, /its url must be an http or https URL/],
  [{ type: "http_request" }, { url: "https://a.test", method: "G T" }, /its method must be/],
  [{ type: "http_request" }, { url: "https://a.test", auth: "x" }, /its auth.type must be/],
  [
    { type: "http_request" },
    { url: "https://a.test", auth: { type: "digest" } },
    /its auth.type must be none, basic or bearer/,
  ],
  [
    { type: "http_request" },
    { url: "https://a.test", auth: { type: "bearer", token: "" } },
    /its auth.token is required/,
  ],
  [
    { type: "http_request" },
    { url: "https://a.test", headers: { a: 1 } },
    /its headers must be a list of {name, value}/,
  ],
  [
    { type: "http_request" },
    { url: "https://a.test", params: [{ name: "a", value: {} }] },
    /its params must be a list of {name, value}/,
  ],
  [{ type: "sql" }, 7, /must be an object like {"query"/],
  [{ type: "sql" }, { query: " " }, /must be an object like {"query"/],
  [{ type: "sql" }, { query: "SELECT 1", params: {} }, /its params must be a list/],
  [{ type: "string" }, 1, /must be a string/],
  [{ type: "string", remoteOptions: true }, { a: 1 }, /must be a string/],
  [{ type: "string", remoteOptions: true }, true, /must be a string/],
  [{ type: "string", options: [1, 2] }, 3, /must be a string/],
  [{ type: "boolean", remoteOptions: true }, "true", /must be true or false/],
  [{ type: "number" }, "1", /must be a number/],
  [{ type: "number", max: 1 }, 1.5, /must be at most 1/],
  [{ type: "string[]" }, "a", /must be a list/],
  [{ type: "string[]" }, ["a", 1], /its element 1 must be a string/],
  [{ type: "string", options }, "c", /must be one of "a", "b"/],
  [{ type: "string[]", options }, ["a", "c"], /must be one of/],
  [{ type: "string" }, "é".repeat(32 * 1024 + 1), /at most 64 KB/],
  [{ type: "boolean" }, "true", /must be true or false/],
  [{ type: "integer" }, 1.5, /must be an integer/],
  [{ type: "integer" }, "1", /must be an integer/],
  [{ type: "integer", min: 1 }, 0, /must be at least 1/],
  [{ type: "integer", max: 3 }, 4, /must be at most 3/],
  [{ type: "integer[]", max: 3 }, [4], /its element 0 must be at most 3/],
  [{ type: "object" }, [], /must be an object/],
  [{ type: "app", app: "github" }, { token: "secret" }, /authProvisionId/],
  [{ type: "app", app: "github" }, "apn_1", /authProvisionId/],
  [{ type: "string" }, { __lv: { label: "A", value: 1 } }, /must be a string/],
])("%j rejects %j", ([prop, given, message]) => {
  expect(problems(prop, given)).toEqual([expect.stringMatching(message)]);
});

test("accepts a value of exactly 64 KB", () => {
  expect(problems({ type: "string" }, "é".repeat(32 * 1024))).toEqual([]);
});

test("names all missing and all unknown values at once", () => {
  const props: PropDefinition[] = [
    { name: "a", type: "string" },
    { name: "b", type: "integer[]" },
    { name: "c", type: "string", optional: true },
    { name: "d", type: "string", default: "d" },
    { name: "e", type: "string", hidden: true },
    { name: "f", type: "app", app: "github" },
    { name: "g", type: "$.service.db" },
    { name: "h", type: "$.interface.http" },
    { name: "i", type: "alert", alertType: "info", content: "Mind the gap" },
    { name: "j", type: "$.interface.apphook" },
    { name: "k", type: "string", disabled: true },
  ];
  expect(checkProps(props, { z: 1, a: null })).toEqual({
    ok: false,
    issues: [
      { path: "configured_props.z", message: "is not a prop of the component" },
      { path: "configured_props.a", message: "is required" },
      { path: "configured_props.b", message: "is required" },
    ],
  });
  expect(checkProps(props, { a: "a", b: [] })).toEqual({
    ok: true,
    values: { a: "a", b: [], d: "d" },
  });
});

test("inherited names of objects are ordinary prop names", () => {
  expect(checkProps([{ name: "constructor", type: "string" }], {})).toMatchObject({
    issues: [{ path: "configured_props.constructor", message: "is required" }],
  });
});

test("all values together must fit a row", () => {
  const props = Array.from({ length: 20 }, (_, i) => ({ name: `p${i}`, type: "string" }));
  const given = Object.fromEntries(props.map(({ name }) => [name, "x".repeat(60_000)]));
  expect(checkProps(props, given)).toMatchObject({
    ok: false,
    issues: [{ path: "configured_props", message: expect.stringContaining("900000 bytes") }],
  });
});

test("an update merges new values into stored ones, and drops those of removed props", () => {
  const props = [
    { name: "a", type: "string" },
    { name: "b", type: "string" },
  ];
  expect(mergeValues(props, { a: "1", b: "2", gone: "3" }, { b: "4", new: "5" })).toEqual({
    a: "1",
    b: "4",
    new: "5",
  });
});

test("keeps values of undeclared props if additional props may declare them", () => {
  const props = [{ name: "a", type: "string" }];
  expect(checkDeclared(props, { a: "1", later: 2 })).toEqual({
    ok: true,
    values: { a: "1", later: 2 },
  });
  expect(checkDeclared(props, { later: 2 })).toMatchObject({
    issues: [{ path: "configured_props.a", message: "is required" }],
  });
});

test("a form in progress may have missing values, but its existing values are checked", () => {
  const props = [
    { name: "a", type: "string" },
    { name: "b", type: "integer", default: 7 },
    { name: "timer", type: "$.interface.timer" },
  ];
  expect(checkUnfinished(props, { later: 2 })).toEqual({ ok: true, values: { b: 7, later: 2 } });
  expect(checkUnfinished(props, { a: 1 })).toMatchObject({
    issues: [{ path: "configured_props.a", message: "must be a string" }],
  });
});

test("does not show a secret", () => {
  const props = [
    { name: "token", type: "string", secret: true },
    { name: "user", type: "string" },
  ];
  expect(shownValues(props, { token: "t", user: "u" })).toEqual({ user: "u" });
});

test("a default has the same form as a selected value, including its label", () => {
  const written = { options: [{ label: "B", value: "b" }], withLabel: true };
  expect(check({ type: "string", ...written, default: "b" })).toEqual({
    ok: true,
    values: { x: { label: "B", value: "b" } },
  });
  expect(check({ type: "string[]", ...written, default: ["b"] })).toEqual({
    ok: true,
    values: { x: [{ label: "B", value: "b" }] },
  });
  expect(check({ type: "integer", default: 0 })).toEqual({ ok: true, values: { x: 0 } });
});
