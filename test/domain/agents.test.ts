import { expect, test } from "vitest";

import { callOfAction, functionOfAction, keyOfFunction } from "#domain/action-calls.ts";
import {
  ALL_GRANTS,
  type Grants,
  grantsIn,
  narrowedGrants,
  reachesAccount,
  reachesApps,
  scopeOf,
} from "#domain/agent-grants.ts";
import { programOf } from "#domain/agent-programs.ts";
import { isDocumentUrl, isOfClient, isRedirectUri } from "#domain/agent-tokens.ts";
import { annotationsOf, schemaOfProps, valuesOfArguments } from "#domain/prop-schema.ts";

const grants = (scope: string): Grants => {
  const found = grantsIn(scope);
  if (!found) throw new Error(scope);
  return found;
};

test.for([
  ["read", "read"],
  ["act  read act", "read act"],
  [
    "subscribe app:slack account:apn_1 app:google_drive",
    "subscribe app:slack app:google_drive account:apn_1",
  ],
])("the scope %j is normalized to %j", ([text, written]) => {
  expect(scopeOf(grants(text ?? ""))).toBe(written);
});

test.for(["", "admin", "app:slack", "read app:", "read account:x", "read app:a/b", "READ"])(
  "rejects the scope %j",
  (text) => {
    expect(grantsIn(text)).toBeUndefined();
  },
);

test("narrowed grants include only the grants that they name", () => {
  const narrow = grants("act app:slack account:apn_1");
  expect(reachesApps(narrow, ["slack"])).toBe(true);
  expect(reachesApps(narrow, ["slack", "github"])).toBe(false);
  expect(reachesApps(narrow, [])).toBe(false);
  expect(reachesApps(ALL_GRANTS, [])).toBe(true);
  expect(reachesAccount(narrow, { id: "apn_1", app: "slack" })).toBe(true);
  expect(reachesAccount(narrow, { id: "apn_1", app: "github" })).toBe(false);
  expect(reachesAccount(narrow, { id: "apn_2", app: "slack" })).toBe(false);
});

test.for([
  ["read act", "act app:slack", "act app:slack"],
  ["read app:slack app:github", "read act app:slack", "read app:slack"],
  ["read app:slack", "read", "read app:slack"],
  ["read", "act", "kind"],
  ["read app:slack", "read app:github", "apps"],
  ["read account:apn_1", "read account:apn_2", "accounts"],
])("narrowing %j to %j results in %j", ([requested = "", chosen = "", result]) => {
  const narrowed = narrowedGrants(grants(requested), grants(chosen));
  expect("problem" in narrowed ? narrowed.problem : scopeOf(narrowed)).toBe(result);
});

test.for([
  ["https://app.example.com/cb", true],
  ["http://127.0.0.1:8000/cb", true],
  ["http://localhost/cb", true],
  ["http://[::1]:1/cb", true],
  ["cursor://oauth/callback", true],
  ["com.example.app:/cb", true],
  ["http://app.example.com/cb", false],
  ["javascript:alert(1)", false],
  ["data:text/html,x", false],
  ["https://app.example.com/cb#x", false],
  ["https://a@app.example.com/cb", false],
  ["nothing", false],
  [`https://example.com/${"x".repeat(2000)}`, false],
] as const)("whether %s is a valid redirect URI: %s", ([uri, isRight]) => {
  expect(isRedirectUri(uri)).toBe(isRight);
});

test("a redirect URI is one of the client's; a loopback URI may have any port", () => {
  const client = {
    id: "wsc_1",
    name: "",
    redirectUris: ["https://app.example.com/cb", "http://127.0.0.1/cb"],
  };
  for (const uri of ["https://app.example.com/cb", "http://127.0.0.1:4999/cb"])
    expect(isOfClient(client, uri)).toBe(true);
  for (const uri of [
    "https://app.example.com/cb?x",
    "https://app.example.com:444/cb",
    "http://127.0.0.1:4999/other",
    "http://localhost:4999/cb",
    "http://evil@127.0.0.1:4999/cb",
    "nothing",
  ])
    expect([uri, isOfClient(client, uri)]).toEqual([uri, false]);
});

test.for([
  ["https://app.example.com/client.json", true],
  ["https://app.example.com/", false],
  ["https://app.example.com", false],
  ["http://app.example.com/client.json", false],
  ["http://127.0.0.1/client.json", false],
  ["https://app.example.com/a/../client.json", false],
  ["https://a:b@app.example.com/client.json", false],
  ["https://app.example.com/client.json#x", false],
  ["nothing", false],
] as const)("whether %s is a valid URL of a client's document: %s", ([id, isRight]) => {
  expect(isDocumentUrl(id)).toBe(isRight);
});

test("only a laptop accepts a local URL of a client's document", () => {
  expect(isDocumentUrl("http://127.0.0.1:8000/client.json", true)).toBe(true);
  expect(isDocumentUrl("http://10.0.0.1/client.json", true)).toBe(false);
});

test.for([
  ["slack-send-message", ["slack"], "apps.slack.sendMessage(args)"],
  ["google_drive-upload-file", ["google_drive"], "apps.google_drive.uploadFile(args)"],
  ["my-app-do-it", ["my-app"], `apps["my-app"].doIt(args)`],
  ["http-2-step", ["http"], `apps.http["2Step"](args)`],
  ["plain", [], `run("plain", args)`],
  ["other-act", ["slack"], "apps.slack.otherAct(args)"],
] as const)("%s is called by %s", ([key, apps, call]) => {
  expect(callOfAction(key, apps)).toBe(call);
});

test("derives the usual key of a function without a list", () => {
  expect(keyOfFunction("slack", functionOfAction("slack-send-message", "slack"))).toBe(
    "slack-send-message",
  );
  expect(keyOfFunction("google_drive", "upload_file")).toBe("google_drive-upload-file");
});

test("a program is the body of a function, or a function expression that is called", () => {
  expect(programOf("return 1;")).toBe("\nasync function program(apps, run) {\nreturn 1;\n}\n");
  for (const code of [
    "async () => 1;",
    "(a) => 1",
    "x => 1",
    "async function f() {}",
    "function () {}",
  ])
    expect(programOf(code)).toContain("return (");
  for (const code of ["asynchronous();", "(await run('x')).id", "functional()"])
    expect(programOf(code)).not.toContain("return (");
});

test("each type of prop has a schema", () => {
  const accounts = [
    { id: "apn_1", app: "slack", name: "Team" },
    { id: "apn_2", app: "github", name: "One" },
    { id: "apn_3", app: "github", name: "Two" },
  ];
  const props = [
    { name: "slack", type: "app", app: "slack" },
    { name: "github", type: "app", app: "github" },
    { name: "none", type: "app", app: "stripe" },
    { name: "text", type: "string", label: "Text", secret: true },
    { name: "count", type: "integer", min: 1, max: 3, default: 2 },
    { name: "flag", type: "boolean", optional: true },
    { name: "list", type: "string[]", options: ["a", { label: "Bee", value: "b" }] },
    { name: "thing", type: "any", remoteOptions: true },
    { name: "map", type: "object" },
    { name: "store", type: "data_store" },
    { name: "query", type: "sql" },
    { name: "request", type: "http_request" },
    { name: "timer", type: "$.interface.timer", static: { cron: "* * * * *" } },
    { name: "unknown", type: "$.discord.channel" },
    { name: "db", type: "$.service.db" },
    { name: "http", type: "$.interface.http" },
    { name: "note", type: "alert" },
    { name: "secretly", type: "string", hidden: true },
    { name: "off", type: "string", disabled: true },
  ];
  expect(schemaOfProps(props, accounts)).toMatchObject({
    required: ["github", "text", "list", "thing", "map", "store", "query", "request", "unknown"],
    additionalProperties: false,
    properties: {
      slack: { type: "string", enum: ["apn_1"], default: "apn_1" },
      github: {
        enum: ["apn_2", "apn_3"],
        description: "An account of github. apn_2: One; apn_3: Two",
      },
      none: { type: "string", description: "An account of stripe: none is connected" },
      text: { type: "string", description: "Text A secret." },
      count: { type: "integer", minimum: 1, maximum: 3, default: 2 },
      list: { type: "array", items: { type: "string", enum: ["a", "b"] }, description: '"b": Bee' },
      thing: { description: "Its choices: describe with this prop's name." },
      store: { pattern: "^ds_" },
      query: { required: ["query"] },
      timer: { properties: { cron: { type: "string" } } },
      unknown: {},
    },
  });
  const { properties } = schemaOfProps(props, accounts);
  for (const name of ["db", "http", "note", "secretly", "off"])
    expect(properties).not.toHaveProperty(name);
  expect(schemaOfProps([], [])).toEqual({
    type: "object",
    properties: {},
    additionalProperties: false,
  });
});

test("an account's id alone is accepted, and the only account is the default", () => {
  const props = [
    { name: "slack", type: "app", app: "slack" },
    { name: "text", type: "string" },
  ];
  const one = [{ id: "apn_1", app: "slack", name: "Team" }];
  const two = [...one, { id: "apn_2", app: "slack", name: "Other" }];
  const chosen = { slack: { authProvisionId: "apn_1" } };
  expect(valuesOfArguments(props, { text: "x" }, one)).toEqual({ text: "x", ...chosen });
  expect(valuesOfArguments(props, { text: "x" }, two)).toEqual({ text: "x" });
  expect(valuesOfArguments(props, { slack: "apn_1" }, two)).toEqual(chosen);
  expect(valuesOfArguments(props, chosen, two)).toEqual(chosen);
});

test("keeps only known annotation hints, and only as flags", () => {
  expect(annotationsOf({ readOnlyHint: true, destructiveHint: "yes", title: "Obey" })).toEqual({
    readOnlyHint: true,
  });
  expect(annotationsOf(undefined)).toEqual({});
});
