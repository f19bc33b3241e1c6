import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";

import { COMPONENTS } from "./components.ts";
import { type Document, resolved, type Schema } from "./document.ts";
import { known } from "./world.ts";

/** Text that breaks code without input validation. */
const HOSTILE_TEXT = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "%00",
    "%",
    "../../etc/passwd",
    "__proto__",
    "constructor",
    "null",
    "undefined",
    "NaN",
    "-1",
    "1e400",
    "0x10",
    "9007199254740993",
    "'; DROP TABLE sources; --",
    "dc_",
    "dc_*",
    "p_*",
    "$errors",
    "$logs",
    "$in",
    "💥",
    "\uD800",
    "ﷺ".repeat(50),
    "a".repeat(5000),
    "[]",
    "{}",
    "true",
    "1700000000000-0",
    "9999999999999-999",
    "99999999999999999999-0",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

/** Any value, regardless of a schema. */
export const hostile: Arbitrary<unknown> = fc.oneof(
  HOSTILE_TEXT,
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom({ __proto__: 1 }, { toString: null }, [[[[[[]]]]]], { length: 1e9 }),
);

/** A workspace: mostly one of the owner's, because requests about others get 404 alone. */
const WORKSPACE = fc.oneof({ weight: 5, arbitrary: known("home") }, known("o"));

/** Values for parameters whose names state more than their schemas do. */
const BY_NAME: Record<string, Arbitrary<unknown>> = {
  component_code: fc.constantFrom(...COMPONENTS),
  component_url: fc.constantFrom("ftp://example.com/a.js", "nowhere", "http:///", ""),
  component_files: fc.constantFrom({ "a.js": COMPONENTS[0] }, { "a.js": "import './b.js'" }, {}),
  entry: fc.constantFrom("a.js", "b.js"),
  code: fc.constantFrom(...COMPONENTS),
  app: fc.constantFrom("shop", "none"),
  credentials: fc.constantFrom({ api_key: "k" }, { oauth_access_token: "t" }, {}),
  key: fc.constantFrom("fuzz-echo", "fuzz-timer", "fuzz-action", "a b/c"),
  url: fc.oneof(
    fc.constantFrom("http://127.0.0.1:9/hook", "https://example.com/a?b=c"),
    fc.webPath().map((path) => `https://hooks.invalid${path}`),
  ),
  email: fc.emailAddress(),
  emitter_id: fc.oneof(known("dc"), known("p"), fc.constantFrom("dc_*", "p_*"), known("u")),
  listener_id: fc.oneof(known("wh"), known("dc"), known("p")),
  event_name: fc.constantFrom("", "orders", "$errors", "$logs", "$in"),
  expand: fc.constantFrom("event", ""),
  include: fc.constantFrom("id", "id,name", "nothing", ",", "id,code,data"),
  exclude: fc.constantFrom("id", "code,configurable_props", "nothing", ",,"),
  workspace_id: WORKSPACE,
  org_id: WORKSPACE,
  steps: fc.constantFrom(
    [
      {
        name: "one",
        component_code: COMPONENTS[3],
        props: { a: "{{steps.trigger.event.a}}", b: true },
      },
    ],
    [],
  ),
  trigger: fc.constantFrom(
    { type: "none" },
    { type: "http" },
    { type: "timer", cron: "0 0 * * *" },
  ),
  user_id: known("u"),
  owner_id: fc.oneof(known("u"), known("o")),
  after: known("cursor"),
  before: known("cursor"),
  start_id: known("event"),
  end_id: known("event"),
  "last-event-id": known("event"),
  delivery_id: known("dlv"),
  query: fc.constantFrom("new order", "stripe", "a", "né", "*", '"', "OR"),
  prop_name: fc.constantFrom("list", "more", "a", "http"),
  configured_props: fc.constantFrom(
    {},
    {},
    {},
    { limit: 3 },
    { limit: "three" },
    { timer: { intervalSeconds: 3600 } },
    { timer: { cron: "0 0 * * *", timezone: "Europe/Vienna" } },
    { timer: { cron: "never" } },
    { unknown: 1 },
    { fail: "activate" },
  ),
};

/** An id if the schema's example is one. */
function idFor({ example }: Schema): Arbitrary<string> | undefined {
  const prefix = /^([a-z]+)_5d0$/.exec(String(example))?.[1];
  if (prefix === undefined) return undefined;
  return prefix === "o" ? WORKSPACE : known(prefix);
}

/** A value that a schema allows, about half of the time a meaningful one. */
export function valueFor(document: Document, schema: Schema, name: string): Arbitrary<unknown> {
  const named = BY_NAME[name];
  if (named) return named;
  const plain = resolved(document, schema);
  const id = idFor(plain);
  if (id) return id;
  if (plain.enum) return fc.constantFrom(...plain.enum);
  const choices = plain.anyOf ?? plain.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueFor(document, choice, name)));
  const types = [plain.type ?? "any"].flat();
  return fc.oneof(...types.map((type) => typed(document, plain, type)));
}

function typed(document: Document, schema: Schema, type: string): Arbitrary<unknown> {
  const { minimum = -1000, maximum = 1_000_000, maxLength = 60 } = schema;
  const integer = { min: Math.ceil(minimum), max: Math.floor(Math.max(minimum, maximum)) };
  const makers: Record<string, () => Arbitrary<unknown>> = {
    string: () => fc.string({ unit: "grapheme", maxLength: Math.min(maxLength, 60) }),
    integer: () => fc.integer(integer),
    number: () => fc.integer(integer),
    boolean: () => fc.boolean(),
    null: () => fc.constant(null),
    array: () => fc.array(valueFor(document, schema.items ?? {}, ""), { maxLength: 4 }),
    object: () => objectFor(document, schema),
  };
  return makers[type]?.() ?? fc.jsonValue({ maxDepth: 2 });
}

/** An object of a schema: its required fields, and some of the others. */
export function objectFor(document: Document, schema: Schema): Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [], additionalProperties } = resolved(document, schema);
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, valueFor(document, member, name)]),
  );
  if (Object.keys(members).length === 0 && typeof additionalProperties === "object")
    return fc.dictionary(
      fc.string({ maxLength: 10 }),
      valueFor(document, additionalProperties, ""),
    );
  return fc.record(members, { requiredKeys: required.filter((name) => name in members) });
}
