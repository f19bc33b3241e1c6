// @suites release

import { beforeAll, expect, test } from "vitest";

import { newCaller, ok } from "../support/api.ts";
import { newCustomer } from "../support/connect.ts";
import { publishRealNames } from "../support/published-names.ts";
import { REAL_NAMES, REAL_QUERIES } from "../support/real-names.ts";
import { HANGS_AFTER_MS } from "../support/timeouts.ts";

beforeAll(() => publishRealNames(), HANGS_AFTER_MS);

test.for(REAL_QUERIES)(
  "a relevant component is among the first three hits for %j",
  async ([query, meant]) => {
    const [{ api }, { server }] = [await newCaller(), await newCustomer()];
    const { data } = ok(await api.searchComponents({ query, limit: 3 }));
    const keys = data.map(({ key }) => key ?? "");
    expect([keys, keys.some((key) => meant.includes(key))]).toEqual([keys, true]);
    const { body } = await server.get(`/components?limit=3&q=${encodeURIComponent(query)}`);
    expect(body.data.map(({ key }: { key: string }) => key)).toEqual(keys);
  },
);

const keysOf = async (query: {
  query: string;
  app?: string;
  $type?: "source" | "action";
  limit?: number;
}) => ok(await (await newCaller()).api.searchComponents(query)).data.map(({ key }) => key ?? "");

test("a search may be limited to an app and to a type", async () => {
  expect(await keysOf({ query: "new issue comment", app: "gitlab" })).toEqual([
    "gitlab-new-issue-comment",
  ]);
  expect(await keysOf({ query: "send message", app: "slack", $type: "source" })).toEqual([
    "slack-new-message",
  ]);
  expect(await keysOf({ query: "send message", app: "nobodys" })).toEqual([]);
  const forms = await keysOf({ query: "form", $type: "action", limit: 100 });
  expect(forms).toEqual(["hubspot-submit-form", "typeform-create-form"]);
});

test("components with all words rank before those with most", async () => {
  const keys = await keysOf({ query: "stripe new invoice", limit: 100 });
  const isFull = keys.map((key) => {
    const { name = "", description = "" } = REAL_NAMES.find((one) => one.key === key) ?? {};
    const text = `${key} ${name} ${description}`.toLowerCase();
    return ["stripe", "new", "invoice"].every((word) => text.includes(word));
  });
  expect(keys.length).toBeGreaterThan(5);
  expect(isFull[0]).toBe(true);
  expect(isFull.slice(isFull.indexOf(false))).not.toContain(true);
  expect(isFull.at(-1)).toBe(false);
});

test("a query about an event lists sources first", async () => {
  const [first] = await keysOf({ query: "notify me when a form is submitted" });
  expect(first).toBe("hubspot-new-form-submission");
  expect((await keysOf({ query: "submit form" }))[0]).toBe("hubspot-submit-form");
});

test("an own component is found by the same words as a registry's", async () => {
  const { ada, server } = await newCustomer();
  const component_code = `export default { key: "parcel-ship", name: "Ship Invoices by Post", description: "For Stripe", version: "0.0.1", type: "action", props: {}, run() {} };`;
  expect((await ada.post("/components", { component_code })).status).toBe(200);
  const found = async (q: string) =>
    (await server.get(`/components?registry=private&q=${encodeURIComponent(q)}`)).body.data.map(
      ({ key }: { key: string }) => key,
    );
  for (const q of [
    "invoice",
    "ship the invoices",
    "invoces",
    "stripe",
    "parcel",
    "post invoice zzyzx",
  ])
    expect([q, await found(q)]).toEqual([q, ["parcel-ship"]]);
  for (const q of ["voices", "invoice zzyzx", "%"]) expect([q, await found(q)]).toEqual([q, []]);
});
