import { expect, test } from "vitest";

import { redactorOf, redactorOfTexts } from "#domain/redaction.ts";

const SECRET = 'pä ss/"word"';

test.for([
  ["as it is", SECRET],
  ["in JSON", JSON.stringify({ SECRET }).slice(11, -2)],
  ["in a URL", encodeURIComponent(SECRET)],
  ["in a form", new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ["in base64", Buffer.from(SECRET).toString("base64").replace(/=+$/, "")],
  ["in base64 of URLs", Buffer.from(SECRET).toString("base64url")],
])("replaces a secret %s", ([, form]) => {
  const redact = redactorOf({ s: SECRET, plain: "long enough to stay" }, new Set(["s"]));
  expect(redact(`a ${form} b ${form}`)).toBe("a [redacted] b [redacted]");
  expect(redact("long enough to stay")).toBe("long enough to stay");
});

test("replaces the secret fields of credentials, also as HTTP Basic, and no other fields", () => {
  const $auth = {
    oauth_access_token: "token-of-ada",
    api_key: "key-of-ada-1",
    pin: "12345678",
    region: "eu-central-1",
    email: "ada@example.com",
    base_url: "https://api.example.com",
    oauth_uid: "uid-of-ada",
    token_type: "Bearer-token",
  };
  const redact = redactorOf({ app: { authProvisionId: "apn_1", $auth } }, new Set());
  const plain = "eu-central-1 ada@example.com https://api.example.com uid-of-ada Bearer-token";
  expect(redact(`token-of-ada key-of-ada-1 12345678 ${plain}`)).toBe(
    `[redacted] [redacted] [redacted] ${plain}`,
  );
  for (const pair of ["ada@example.com:key-of-ada-1", "key-of-ada-1:", ":token-of-ada"])
    expect(redact(`Basic ${Buffer.from(pair).toString("base64")}`)).toMatch(
      /^Basic \[redacted\]=*$/,
    );
});

test("replaces the longest secret first, and keeps short values", () => {
  const redact = redactorOf(
    { a: "longsecret", b: "longsecret-2", c: "short" },
    new Set(["a", "b", "c"]),
  );
  expect(redact("longsecret-2 longsecret short")).toBe("[redacted] [redacted] short");
});

test("replaces numbers, items of lists and the lines of a key", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----";
  const redact = redactorOf(
    { n: 1234567890, list: ["first-secret"], key },
    new Set(["n", "list", "key"]),
  );
  expect(redact("1234567890 first-secret")).toBe("[redacted] [redacted]");
  expect(redact("  MIIEvQIBADANBg\n  kqhkiG9w0BAQEF")).toBe("  [redacted]\n  [redacted]");
});

test("replaces the beginning of a secret where a text was cut", () => {
  const redact = redactorOfTexts(["hunter2-hunter2"]);
  const line = "x".repeat(1000);
  expect(redact(`${line} hunter2-hunt`)).toBe(`${line} [redacted]`);
  const mark = "… [30 more characters are not kept]";
  expect(redact(`${line} hunter2-h${mark}`)).toBe(`${line} [redacted]${mark}`);
});
