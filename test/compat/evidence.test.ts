import { expect, test } from "vitest";

import type { Witness } from "../../tools/compat/evidence.ts";
import { troubleOf } from "../../tools/compat/rules.ts";
import type { Step } from "../../tools/compat/steps.ts";
import { throwIn } from "../../tools/compat/throws.ts";

const REQUESTS = [{ url: "https://a.test/v1/things", status: 200 }];

function witness(code: string, requests: Witness["requests"] = []): Witness {
  return { code: new Map([["components/a/sources/a/a.mjs", code]]), requests };
}

type Row = [string, Step, { name: string; message: string; stack?: string }, Witness, string];

const ROWS: Row[] = [
  [
    "an isolate that died",
    "run",
    { name: "IsolateDied", message: "gone" },
    witness("", REQUESTS),
    "platform",
  ],
  [
    "an isolate that timed out",
    "run",
    { name: "IsolateTimeout", message: "" },
    witness("", REQUESTS),
    "platform",
  ],
  [
    "endless pages from our own responses",
    "hook",
    { name: "DeadlineExceeded", message: "The component did not finish within 60 s" },
    witness("", REQUESTS),
    "answers",
  ],
  [
    "a deadline that passed before any request",
    "hook",
    { name: "DeadlineExceeded", message: "The component did not finish within 60 s" },
    witness(""),
    "platform",
  ],
  [
    "an invalid port",
    "run",
    { name: "TypeError", message: "The argument 'path' is not supported. Received 'fake-port'" },
    witness(""),
    "answers",
  ],
  [
    "an invalid private key",
    "run",
    {
      name: "Error",
      message: "Failed to parse private key: Error: Invalid PEM formatted message.",
    },
    witness(""),
    "answers",
  ],
  [
    "a rejected save",
    "bundle",
    { name: "422", message: `"x" cannot be found` },
    witness(""),
    "platform",
  ],
  [
    "a rejected value",
    "props",
    { name: "400", message: "configured_props.a: must be a number" },
    witness(""),
    "answers",
  ],
  [
    "an own message that resembles a runtime's",
    "run",
    { name: "Error", message: "generateMeta is not implemented" },
    witness(`throw new Error("generateMeta is not implemented")`),
    "component",
  ],
  [
    "an own message after a response",
    "hook",
    { name: "Error", message: "Could not create webhook(s)." },
    witness("if (!id) throw new Error('Could not create webhook(s).');", REQUESTS),
    "answers",
  ],
  [
    "a missing feature of the runtime",
    "run",
    { name: "Error", message: "fs.cp is not implemented" },
    witness("", REQUESTS),
    "platform",
  ],
  [
    "a built-in module that throws",
    "run",
    {
      name: "TypeError",
      message: "The header content contains invalid characters",
      stack:
        "TypeError: x\n    at validate (node-internal:internal_http_outgoing:96:13)\n    at a.mjs:1:1",
    },
    witness("", REQUESTS),
    "platform",
  ],
  [
    "a missing field of a response",
    "run",
    {
      name: "TypeError",
      message: "Cannot read properties of undefined (reading 'id')",
      stack: "TypeError: x\n    at run (components/a/sources/a/a.mjs:9:3)",
    },
    witness("", REQUESTS),
    "answers",
  ],
  [
    "the status of a response",
    "run",
    { name: "AxiosError", message: "Request failed with status code 404" },
    witness("", [{ url: "", status: 404 }]),
    "answers",
  ],
  [
    "a status that no response had",
    "run",
    { name: "AxiosError", message: "Request failed with status code 502" },
    witness("", REQUESTS),
    "platform",
  ],
  [
    "a missing database",
    "run",
    { name: "Error", message: "connect ECONNREFUSED" },
    witness(`import pg from "pg";`),
    "answers",
  ],
  [
    "a missing HTTP server",
    "run",
    { name: "Error", message: "connect ECONNREFUSED" },
    witness(`import axios from "axios";`),
    "platform",
  ],
  [
    "a missing file with a generated path",
    "run",
    {
      name: "Error",
      message: "no such file or directory, readAll '/tmp/one'",
      stack: "Error\n    at x (node:fs:1:1)",
    },
    witness(""),
    "answers",
  ],
  [
    "a package of another version",
    "run",
    { name: "TypeError", message: "Class constructor A cannot be invoked without 'new'" },
    witness(""),
    "platform",
  ],
  [
    "a request that the runtime rejects",
    "options",
    { name: "TypeError", message: "Request with a GET or HEAD method cannot have a body." },
    witness("", REQUESTS),
    "platform",
  ],
  [
    "code that hangs before its first request",
    "timeout",
    { name: "OutOfTime", message: "The trial timed out" },
    witness(""),
    "platform",
  ],
  [
    "a package that fails by itself",
    "run",
    {
      name: "TypeError",
      message: "x is not a function",
      stack: "TypeError: x\n    at f (dependencies/left-pad.js:1:1)",
    },
    witness(""),
    "platform",
  ],
  [
    "code that does not suit an event",
    "run",
    {
      name: "TypeError",
      message: "x is undefined",
      stack: "TypeError: x\n    at run (components/a/sources/a/a.mjs:1:1)",
    },
    witness(""),
    "answers",
  ],
  [
    "an unknown message before any request",
    "run",
    { name: "Error", message: "Choose" },
    witness(""),
    "component",
  ],
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

test("evidence from other tools overrides the rules", () => {
  const judgement = { blame: "package", because: "npm knows no x either" } as const;
  const failure = { name: "422", message: `There is no package "x"` };
  expect(troubleOf("bundle", failure, { ...witness(""), judgement })).toMatchObject(judgement);
});

test.for([
  [`run() { throw new Error("Not found"); }`, "Error: Not found", { isConditional: false }],
  [
    `run() { try { throw new Error("Not found"); } finally { } }`,
    "Not found",
    { isConditional: false },
  ],
  [
    `run() { if (this.a(1)) { throw new Error("Not found"); } }`,
    "Not found",
    { isConditional: true },
  ],
  [
    `run() { if (a) return 1;\n throw new Error("Not found"); }`,
    "Not found",
    { isConditional: true },
  ],
  [`run() { if (a) throw new Error("Not found"); }`, "Not found", { isConditional: true }],
  [`try { a(); } catch { throw new Error("Not found"); }`, "Not found", { isConditional: true }],
  [`a ?? (() => { throw new Error("Not found"); })()`, "Not found", { isConditional: false }],
  [
    "throw new ConfigurationError(`No \\`list\\` ${id} in ${place}`)",
    "No `list` 7 in Paris",
    { isConditional: false },
  ],
  ["throw new Error(`${name}`)", "anything", undefined],
  [`console.log("Not found")`, "Not found", undefined],
] as const)("%s throws %s: %o", ([code, message, thrown]) => {
  expect(throwIn(code, message)).toEqual(thrown);
});
