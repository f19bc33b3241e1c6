// @suites loader

import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { html, served } from "../support/assets.ts";
import { ORIGIN, request } from "../support/client.ts";
import { adminOperations, v1Operations } from "../support/operations.ts";

const get = (path: string, init: RequestInit = {}) =>
  exports.default.fetch(`${ORIGIN}${path}`, { redirect: "manual", ...init });

test("the reference page is public, and lists every operation even without its script", async () => {
  const response = await get("/docs/api");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^text\/html/);
  const page = await response.text();
  for (const { method, path } of v1Operations)
    expect(page).toContain(`<code>${method} /v1${path}</code>`);
  for (const { method, path } of adminOperations)
    expect(page).toContain(`<code>${method} /admin${path}</code>`);
  for (const url of ["/v1/openapi.json", "/v1/connect/openapi.json", "/docs/api/admin.json"]) {
    expect(page).toContain(url);
    expect(await request("GET", url)).toMatchObject({ status: 200, body: { openapi: "3.1.0" } });
  }
});

test("the reference page refers to no other host, and may connect to none", async () => {
  const response = await get("/docs/api/");
  expect(response.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'self'; .*connect-src 'self'; .*frame-ancestors 'none'$/,
  );
  expect([...(await response.text()).matchAll(/(?:src|href)="(?!\/|data:,)/g)]).toEqual([]);
});

test("a page of the documentation may run our scripts alone, and hashed files are immutable", async () => {
  const page = await served("/docs/concepts", { "/docs/concepts": html("<h1>Concepts</h1>") });
  expect(await page.text()).toBe("<h1>Concepts</h1>");
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-security-policy": expect.stringContaining("script-src 'self';"),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-request-id": expect.stringMatching(/./),
  });
  const script = await served("/docs/assets/app.1a2b.js", {
    "/docs/assets/app.1a2b.js": new Response("export {}"),
  });
  expect(script.headers.get("cache-control")).toContain("immutable");
  const index = await served("/llms.txt", { "/docs/llms.txt": new Response("# Wellspring") });
  expect(await index.text()).toBe("# Wellspring");
});

test("a missing page is a 404 in the API's format, and no file shadows a route", async () => {
  const files = Object.fromEntries(
    ["/v1/openapi.json", "/health", "/e/none", "/nowhere", "/index.html", "/"].map((path) => [
      path,
      html("a file"),
    ]),
  );
  for (const path of ["/docs/nowhere", "/docs", "/nowhere", "/index.html"]) {
    const response = await served(path, files);
    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.json()).toMatchObject({ code: "not_found" });
  }
  expect(await (await served("/v1/openapi.json", files)).json()).toHaveProperty("openapi");
});

test("static assets are served by the binding, even before the site is built", async () => {
  // Whether it is built depends on earlier commands: both responses are right.
  const { status, headers } = await get("/docs/nothing-is-called-so");
  expect([status, headers.get("content-type")]).toEqual([404, "application/json"]);
});
