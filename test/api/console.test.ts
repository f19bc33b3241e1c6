// @suites loader

import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { html, served } from "../support/assets.ts";
import { ORIGIN } from "../support/client.ts";

const BUILT = () => ({
  "/console/": html("<div id=root></div>"),
  "/console/assets/app.1a2b.js": new Response("export {}"),
});

test("the origin redirects to the console", async () => {
  for (const path of ["/", "/console"]) {
    const response = await exports.default.fetch(`${ORIGIN}${path}`, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "/console/"]);
  }
});

test("every path of the console serves its page, which may run its own scripts alone", async () => {
  for (const path of ["/console/", "/console/sources", "/console/sources/dc_1/events?channel=a"]) {
    const page = await served(path, BUILT());
    expect([path, page.status, await page.text()]).toEqual([path, 200, "<div id=root></div>"]);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-security-policy": expect.stringContaining("script-src 'self';"),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(page.headers.get("cache-control") ?? "").not.toContain("immutable");
  }
});

test("files of the console are immutable, and a missing file is not answered with the page", async () => {
  const file = await served("/console/assets/app.1a2b.js", BUILT());
  expect(file.headers.get("cache-control")).toContain("immutable");
  const lost = await served("/console/assets/app.0000.js", BUILT());
  expect([lost.status, await lost.json()]).toEqual([
    404,
    expect.objectContaining({ code: "not_found" }),
  ]);
});

test("shows how to build the console where it is not built", async () => {
  const page = await served("/console/sources", {});
  expect(page.status).toBe(503);
  expect(await page.text()).toContain("npm run build:console");
});
