// @suites loader

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";

import { app } from "#worker/http/app.ts";

import { operator, ORIGIN, request, signUp } from "../support/client.ts";

test("pages of any origin may send requests and read responses", async () => {
  const origin = "https://console.example";
  const preflight = await request("OPTIONS", "/v1/sources", {
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET,HEAD,POST,PUT,PATCH,DELETE",
    "access-control-allow-headers": "authorization,content-type",
    "access-control-max-age": "86400",
  });
  const ada = await signUp();
  const answers = [
    await ada.get("/users/me", undefined, { origin }),
    await ada.get("/nowhere", undefined, { origin }),
    await ada.as("PATCH")("/users/me", undefined, { origin }),
    await ada.post("/sources", {}, { origin }),
    await ada.post("/components", "x", { origin }),
    await request("GET", "/v1/users/me", { headers: { origin } }),
    await request("GET", "/v1/openapi.json", { headers: { origin } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 405, 400, 415, 401, 200]);
  for (const { headers } of answers) {
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")?.split(",")).toEqual(
      expect.arrayContaining(["X-Request-Id", "X-RateLimit-Remaining", "Retry-After"]),
    );
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  }
  expect(
    (await operator.get("/openapi.json")).headers.get("access-control-allow-origin"),
  ).toBeNull();
});

test("pages may read the response to an internal error, too", async () => {
  const silenced = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => silenced.mockRestore());
  const incoming = new Request(`${ORIGIN}/v1/users/me`, {
    headers: { authorization: "Bearer key" },
  });
  const DB = {
    prepare() {
      throw new Error("out of order");
    },
  };
  const response = await app.fetch(incoming, { ...env, DB }, createExecutionContext());
  expect(response.status).toBe(500);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await response.json()).toMatchObject({ code: "internal" });
});
