import { expect, test } from "vitest";

import { troubleOf } from "../../tools/compat/rules.ts";
import { REQUESTS, type Row, witness } from "./witness.ts";

/** Failures that depend on the values, the events and the versions that a component gets. */
const ROWS: Row[] = [
  [
    "a demand of an account that the code does not explain",
    "props",
    { name: "400", message: "configured_props.a: an account of a is required" },
    witness("run() { return Object.keys(this.$auth); }"),
    "platform",
  ],
  [
    "a number that was offered for a text",
    "props",
    { name: "400", message: "configured_props.a: must be a string" },
    { ...witness("", REQUESTS), offered: new Map([["a", 25]]) },
    "platform",
  ],
  [
    "an object that was offered for a text",
    "props",
    { name: "400", message: "configured_props.a: must be a string" },
    { ...witness("", REQUESTS), offered: new Map([["a", {}]]) },
    "answers",
  ],
  [
    "an own check of a value",
    "run",
    { name: "ConfigurationError", message: "Enter a list" },
    witness(`run() { if (!this.list) { throw new ConfigurationError("Enter a list"); } }`),
    "answers",
  ],
  [
    "an own check of values with several messages",
    "run",
    {
      name: "Error",
      message: "No list; no name",
      stack: "Error\n    at Object.run (components/a/sources/a/a.mjs:2:7)",
    },
    witness(`run() {\n if (errors.length) throw new Error(errors.join("; ")); }`),
    "answers",
  ],
  [
    "an event without the field of the id",
    "run",
    { name: "DedupeError", message: `$emit needs an id: the component dedupes by "unique"` },
    witness(""),
    "answers",
  ],
  [
    "a fake key that is no JSON",
    "options",
    { name: "SyntaxError", message: `Unexpected token 'k', "fake-key" is not valid JSON` },
    witness(""),
    "answers",
  ],
  [
    "a fake address of a database",
    "options",
    { name: "MongoAPIError", message: "URI must include hostname, domain name, and tld" },
    witness(`import { MongoClient } from "mongodb";`),
    "answers",
  ],
  [
    "a version without what is imported",
    "run",
    { name: "TypeError", message: "import_kit2.Wheel is not a constructor" },
    { ...witness(`import { Wheel } from "kit";`, REQUESTS), ranges: { kit: "^0.9.0" } },
    "component",
  ],
  [
    "a newest version without what is imported",
    "run",
    { name: "TypeError", message: "import_kit2.Wheel is not a constructor" },
    witness(`import { Wheel } from "kit";`, REQUESTS),
    "platform",
  ],
  [
    "a field of an optional prop that was left out",
    "run",
    {
      name: "TypeError",
      message: "Cannot read properties of undefined (reading 'map')",
      stack: "TypeError\n    at Object.run (components/a/sources/a/a.mjs:2:23)",
    },
    { ...witness("run() {\n  return this.names.map(String);\n}"), leftOut: new Set(["names"]) },
    "component",
  ],
  [
    "a method that hosted apps have",
    "options",
    { name: "TypeError", message: "this.bases is not a function" },
    witness(""),
    "platform",
  ],
  [
    "a value that was left out",
    "options",
    { name: "TypeError", message: "Cannot read properties of undefined (reading 'data')" },
    witness(""),
    "answers",
  ],
];

test.for(ROWS)("assigns the blame for %s", ([, step, failure, seen, blame]) => {
  expect(troubleOf(step, failure, seen).blame).toBe(blame);
});
