import { expect, test } from "vitest";

import { troubleOf } from "../../tools/compat/rules.ts";
import { REQUESTS, type Row, witness } from "./witness.ts";

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
];

test.for(ROWS)("assigns the blame for %s", ([, step, failure, seen, blame]) => {
  expect(troubleOf(step, failure, seen).blame).toBe(blame);
});

test("evidence from other tools overrides the rules", () => {
  const judgement = { blame: "package", because: "npm knows no x either" } as const;
  const failure = { name: "422", message: `There is no package "x"` };
  expect(troubleOf("bundle", failure, { ...witness(""), judgement })).toMatchObject(judgement);
});
