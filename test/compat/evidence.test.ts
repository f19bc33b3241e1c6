import { expect, test } from "vitest";

import { isThrownIn, troubleOf, type Witness } from "../../tools/compat/evidence.ts";
import type { Step } from "../../tools/compat/steps.ts";

const ANSWERED = [{ url: "https://a.test/v1/things", status: 200 }];

function witness(code: string, asked: Witness["asked"] = []): Witness {
  return { code: new Map([["components/a/sources/a/a.mjs", code]]), asked };
}

type Row = [string, Step, { name: string; message: string; stack?: string }, Witness, string];

const ROWS: Row[] = [
  [
    "an isolate that died",
    "run",
    { name: "IsolateDied", message: "gone" },
    witness("", ANSWERED),
    "platform",
  ],
  [
    "an isolate that timed out",
    "run",
    { name: "IsolateTimeout", message: "" },
    witness("", ANSWERED),
    "platform",
  ],
  [
    "pages without end, made of answers",
    "hook",
    { name: "DeadlineExceeded", message: "The component did not finish within 60 s" },
    witness("", ANSWERED),
    "answers",
  ],
  [
    "a deadline that passed before anything was asked",
    "hook",
    { name: "DeadlineExceeded", message: "The component did not finish within 60 s" },
    witness(""),
    "platform",
  ],
  [
    "a port that is none",
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
    "a refusal to save",
    "bundle",
    { name: "422", message: `"x" cannot be found` },
    witness(""),
    "platform",
  ],
  [
    "a value that is refused",
    "props",
    { name: "400", message: "configured_props.a: must be a number" },
    witness(""),
    "answers",
  ],
  [
    "a message of its own that sounds like a runtime's",
    "run",
    { name: "Error", message: "generateMeta is not implemented" },
    witness(`throw new Error("generateMeta is not implemented")`),
    "component",
  ],
  [
    "a message of its own after an answer",
    "hook",
    { name: "Error", message: "Could not create webhook(s)." },
    witness("if (!id) throw new Error('Could not create webhook(s).');", ANSWERED),
    "answers",
  ],
  [
    "what the runtime lacks",
    "run",
    { name: "Error", message: "fs.cp is not implemented" },
    witness("", ANSWERED),
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
    witness("", ANSWERED),
    "platform",
  ],
  [
    "what an answer lacks",
    "run",
    {
      name: "TypeError",
      message: "Cannot read properties of undefined (reading 'id')",
      stack: "TypeError: x\n    at run (components/a/sources/a/a.mjs:9:3)",
    },
    witness("", ANSWERED),
    "answers",
  ],
  [
    "a status that an answer had",
    "run",
    { name: "AxiosError", message: "Request failed with status code 404" },
    witness("", [{ url: "", status: 404 }]),
    "answers",
  ],
  [
    "a status that no answer had",
    "run",
    { name: "AxiosError", message: "Request failed with status code 502" },
    witness("", ANSWERED),
    "platform",
  ],
  [
    "a database that is not there",
    "run",
    { name: "Error", message: "connect ECONNREFUSED" },
    witness(`import pg from "pg";`),
    "answers",
  ],
  [
    "an HTTP server that is not there",
    "run",
    { name: "Error", message: "connect ECONNREFUSED" },
    witness(`import axios from "axios";`),
    "platform",
  ],
  [
    "a file that is not there, of a path that was made up",
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
    "a request that the runtime refuses",
    "options",
    { name: "TypeError", message: "Request with a GET or HEAD method cannot have a body." },
    witness("", ANSWERED),
    "platform",
  ],
  [
    "code that hangs before it asks",
    "timeout",
    { name: "OutOfTime", message: "It takes too long" },
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
    "a message from elsewhere before anything was asked",
    "run",
    { name: "Error", message: "Choose" },
    witness(""),
    "component",
  ],
];

test.for(ROWS)("%s is blamed on the right one", ([, step, failure, seen, blame]) => {
  expect(troubleOf(step, failure, seen).blame).toBe(blame);
});

test("proof by other tools overrides the rules", () => {
  const judgement = { blame: "package", because: "npm knows no x either" } as const;
  const failure = { name: "422", message: `There is no package "x"` };
  expect(troubleOf("bundle", failure, { ...witness(""), judgement })).toMatchObject(judgement);
});

test.for([
  [`throw new Error("Not found")`, "Error: Not found", true],
  ["throw new ConfigurationError(`No list ${id} in ${place}`)", "No list 7 in Paris", true],
  ["throw new Error(`${name}`)", "anything", false],
  [`console.log("Not found")`, "Not found", false],
] as const)("%s throws %s: %s", ([code, message, is]) => {
  expect(isThrownIn(code, message)).toBe(is);
});
