import { expect, test } from "vitest";

import { chosenAccounts, refreshAtOf, withAuth } from "#domain/accounts.ts";
import type { Values } from "#domain/props.ts";

const BOTH = { oauth_access_token: "a", oauth_refresh_token: "r" };

test.for([
  ["a key: never", { api_key: "k" }, null, null],
  ["a token without a refresh token: never", { oauth_access_token: "a" }, 5000, null],
  ["no token yet: at once", { oauth_refresh_token: "r" }, null, 1000],
  ["a token without an expiry: at once", BOTH, null, 1000],
  ["an hour's token: five minutes before its expiry", BOTH, 4600, 4300],
  ["a minute's token: in its last quarter", BOTH, 1060, 1045],
  ["a token of a second: when it expires", BOTH, 1001, 1001],
  ["an expired token: at once", BOTH, 900, 900],
] as const)("time of the refresh of %s", ([, credentials, expiresAt, at]) => {
  expect(refreshAtOf(credentials, { expiresAt, now: 1000 })).toBe(at);
});

const PROPS = [
  { name: "github", type: "app", app: "github" },
  { name: "other", type: "app", app: "slack" },
  { name: "text", type: "string" },
];
const chosen = { authProvisionId: "apn_1" };

const FOUND: [Values, string[]][] = [
  [{ github: chosen }, ["github"]],
  [{ github: chosen, other: { authProvisionId: "dc_1" }, text: chosen }, ["github"]],
  [{ github: "apn_1", other: null }, []],
  [{ github: [], other: { authProvisionId: 1 } }, []],
];

test.for(FOUND)("finds the accounts in %j", ([values, props]) => {
  const accounts = chosenAccounts(PROPS, values);
  expect(accounts).toEqual(props.map((prop) => ({ prop, app: prop, accountId: "apn_1" })));
});

test("credentials are added only to the props with a grant", () => {
  const values = { github: chosen, other: chosen, text: "a" };
  expect(withAuth(values, new Map([["github", '{"api_key":"k"}']]))).toEqual({
    github: { ...chosen, $auth: { api_key: "k" } },
    other: chosen,
    text: "a",
  });
});
