// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { app } from "#worker/http/app.ts";

import { request, signUp } from "../support/client.ts";
import { type Line, linesOf, pointsOf } from "../support/telemetry.ts";

test("logs one line for each request, with its response's id, its owner and its outcome", async () => {
  const ada = await signUp();
  const ids: unknown[] = [];
  const written = await linesOf("info", async () => {
    for (const answer of [
      await ada.get("/users/me"),
      await ada.get("/sources/dc_none/event_summaries?limit=7"),
      await request("GET", "/v1/users/me"),
      await request("GET", "/nowhere"),
    ])
      ids.push(answer.headers.get("x-request-id"));
  });
  const lines = written.filter(({ event }) => event === "request");
  const route = "/v1/sources/:id/event_summaries";
  const shown = { level: "info", event: "request", method: "GET" };
  const owner_id = ada.user.id;
  expect(lines).toMatchObject([
    { ...shown, route: "/v1/users/me", status: 200, owner_id, request_id: ids[0] },
    { ...shown, route, status: 404, owner_id, request_id: ids[1] },
    { ...shown, route: "/v1/users/me", status: 401, request_id: ids[2] },
    { ...shown, route: "/*", status: 404, request_id: ids[3] },
  ]);
  expect(lines[2]).not.toHaveProperty("owner_id");
  for (const { duration_ms } of lines) expect(duration_ms).toEqual(expect.any(Number));
});

test("measures a request by its route, not by its path", async () => {
  const ada = await signUp();
  const points = await pointsOf(async () => {
    await ada.get("/sources/dc_none/event_summaries");
    await ada.as("PROPFIND")("/users/me");
    await request("GET", "/health");
  });
  expect(points.filter(({ kind }) => kind === "request")).toMatchObject([
    {
      kind: "request",
      owner_id: ada.user.id,
      count: 1,
      route: "/v1/sources/:id/event_summaries",
      outcome: "4xx",
      method: "GET",
      status: 404,
      d1_round_trips: expect.any(Number),
      duration_ms: expect.any(Number),
    },
    { kind: "request", method: "other" },
  ]);
});

test("does not log health checks", async () => {
  const lines = await linesOf("debug", () => request("GET", "/health"));
  expect(lines.filter(({ event }) => event === "request")).toEqual([]);
});

test("logs an internal error with the id of its response, without the request body", async () => {
  const { user } = await signUp();
  // The message of Drizzle about a failed statement repeats its parameters.
  const DB = {
    prepare: () => {
      throw new Error(`Failed query: select ?\nparams: hunter2`);
    },
  };
  const headers = { authorization: `Bearer ${user.api_key}` };
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} } as never;
  let id: string | null = null;
  const written = await linesOf("error", async () => {
    const incoming = new Request("http://wellspring.test/v1/users/me?q=hunter2", { headers });
    const response = await app.fetch(incoming, { ...env, DB }, context);
    id = response.headers.get("x-request-id");
    expect(await response.json()).toMatchObject({ details: { request_id: id } });
  });
  const lines = written.filter(({ event }) => event === "request_failed");
  const [line] = lines as [Line];
  expect(lines).toHaveLength(1);
  expect(line).toMatchObject({
    level: "error",
    event: "request_failed",
    request_id: id,
    route: "/v1/users/me",
    error: { stack: expect.stringContaining("at ") },
  });
  expect(JSON.stringify(line)).not.toMatch(new RegExp(`hunter2|${user.api_key}`));
});
