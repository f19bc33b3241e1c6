import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { ORIGIN } from "../support/client.ts";
import { v1Operations } from "../support/operations.ts";

test("the reference page is open, and lists every operation even where its script cannot be had", async () => {
  const response = await exports.default.fetch(`${ORIGIN}/docs`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^text\/html/);
  const page = await response.text();
  for (const { method, path } of v1Operations)
    expect(page).toContain(`<code>${method} /v1${path}</code>`);
  expect(page).toContain("/v1/openapi.json");
});

test("the reference page runs a pinned script, which may speak to nobody but us", async () => {
  const response = await exports.default.fetch(`${ORIGIN}/docs/`);
  expect(await response.text()).toMatch(/@scalar\/api-reference@\d+\.\d+\.\d+"/);
  expect(response.headers.get("content-security-policy")).toContain("connect-src 'self'");
});
