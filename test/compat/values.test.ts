import { expect, test } from "vitest";

import { credentialsIn, isNeeded, type Prop, valueFor } from "../../tools/compat/values.ts";

const belongings = { account: "apn_1", dataStore: "ds_1" };
const make = (prop: Omit<Prop, "name">, options?: unknown[], name = "x") =>
  valueFor({ name, ...prop } as Prop, belongings, options);

test.for<[Omit<Prop, "name"> & { type: string }, unknown]>([
  [{ type: "app", app: "a" }, { authProvisionId: "apn_1" }],
  [{ type: "string" }, "one"],
  [{ type: "string", options: ["a", "b"] }, "a"],
  [{ type: "string[]", options: [{ label: "A", value: "a" }] }, ["a"]],
  [{ type: "integer" }, 1],
  [{ type: "integer", min: 5 }, 5],
  [{ type: "integer", max: 0 }, 0],
  [{ type: "integer[]" }, [1]],
  [{ type: "boolean" }, true],
  [{ type: "object" }, {}],
  [{ type: "data_store" }, "ds_1"],
  [{ type: "http_request" }, { method: "GET", url: "https://example.com/one" }],
  [{ type: "sql" }, { query: "SELECT 1", params: [] }],
  [{ type: "$.interface.timer" }, { intervalSeconds: 3600 }],
  [{ type: "of the future" }, undefined],
])("the value of %j is %j", ([prop, value]) => {
  expect(make(prop)).toEqual(value);
});

test("uses a component's own options first, and otherwise derives the value from the prop's name", () => {
  expect(make({ type: "string" }, ["chosen"])).toBe("chosen");
  expect(make({ type: "string" }, undefined, "customerEmail")).toBe("ada@example.com");
  expect(make({ type: "string" }, undefined, "feedUrl")).toBe("https://example.com/one");
});

test.for<[Omit<Prop, "name"> & { type: string }, boolean]>([
  [{ type: "string" }, true],
  [{ type: "string", optional: true }, false],
  [{ type: "string", default: "" }, false],
  [{ type: "string", hidden: true }, false],
  [{ type: "app" }, true],
  [{ type: "$.interface.timer", default: { cron: "0 * * * *" } }, true],
  [{ type: "$.interface.http" }, false],
  [{ type: "$.service.db" }, false],
  [{ type: "alert" }, false],
  [{ type: "dir" }, false],
])("whether %j requires a value: %j", ([prop, needed]) => {
  expect(isNeeded({ name: "x", ...prop })).toBe(needed);
});

test("generates the credentials that an app's code reads", () => {
  const code = `
    token() { return this.$auth.api_token },
    url() { const { base_url: base, domain } = this.$auth; return this.app.$auth?.user },`;
  expect(credentialsIn(code)).toMatchObject({
    api_token: "fake-api-token",
    base_url: "https://outside.example",
    domain: "outside.example",
    user: "fake-user",
  });
});

test("code that only lists the names in $auth has no credentials", () => {
  expect(credentialsIn("authKeys() { console.log(Object.keys(this.$auth)); }")).toEqual({});
});

test("a credential behind a URL scheme in the code is a host", () => {
  const code =
    "url: `https://${this.$auth.base_url}/v1`, other: `https://${this.$auth.subdomain}.a.test`";
  expect(credentialsIn(code)).toMatchObject({ base_url: "outside.example", subdomain: "outside" });
});
