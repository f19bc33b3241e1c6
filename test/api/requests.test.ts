import { brotliCompressSync, gzipSync } from "node:zlib";

import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { operator, ORIGIN, request, signUp } from "../support/client.ts";

const MEGABYTE = 1024 * 1024;

test("health is public and reports a healthy platform", async () => {
  expect(await request("GET", "/health")).toMatchObject({
    status: 200,
    body: { status: "ok", checks: { database: "ok", loader: "ok" } },
  });
});

test.for(["/v1/users/me", "/v1/nowhere", "/v1/sources/dc_1/event_summaries"])(
  "%s without a known key is 401",
  async (path) => {
    for (const authorization of ["", "Bearer", "Bearer unknown", "Basic abc", "Bearer a b"])
      expect(await request("GET", path, { headers: { authorization } })).toMatchObject({
        status: 401,
        body: { error: "A valid API key is required", code: "unauthorized" },
      });
  },
);

test("every response has a unique request id", async () => {
  const ada = await signUp();
  const answers = [
    await ada.get("/users/me"),
    await ada.get("/nowhere"),
    await request("GET", "/v1/users/me"),
    await request("GET", "/health"),
    await request("GET", "/nowhere"),
  ];
  const ids = answers.map(({ headers }) => headers.get("x-request-id"));
  expect(new Set(ids).size).toBe(answers.length);
  expect(ids).not.toContain(null);
});

test("a path without a route is 404, one with an unsupported method 405", async () => {
  const ada = await signUp();
  expect(await ada.get("/nowhere")).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await ada.get("/workspaces/what")).toMatchObject({ status: 404 });
  expect(await request("GET", "/nowhere")).toMatchObject({ status: 404 });

  const patched = await ada.as("PATCH")("/sources/dc_1");
  expect(patched).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
  expect(patched.headers.get("allow")?.split(", ").toSorted()).toEqual([
    "DELETE",
    "GET",
    "HEAD",
    "PUT",
  ]);
  const listed = await ada.get("/sources");
  expect(listed.body.error).toBe(
    "/v1/sources takes POST, not GET; there is GET /v1/users/me/sources",
  );
  const posted = await request("POST", "/health");
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("a trailing slash makes no difference", async () => {
  const ada = await signUp();
  expect((await ada.get("/users/me/")).body).toEqual((await ada.get("/users/me")).body);
  expect(await ada.get("/users/me/sources/")).toMatchObject({ status: 200 });
  expect(await ada.post("/components/", {})).toMatchObject({ status: 400 });
});

test.for(["{", "", "[1]", '"text"', "null", '{"component_code": }'])(
  "rejects the body %j where parameters are required",
  async (body) => {
    const ada = await signUp();
    const answer = await ada.post("/components", body, { "content-type": "application/json" });
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_input" } });
  },
);

test("a body that is not declared as JSON is 415", async () => {
  const ada = await signUp();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
    expect(await ada.post("/components", "a=b", { "content-type": type })).toMatchObject({
      status: 415,
      body: { code: "unsupported_media_type" },
    });
  const charset = { "content-type": "application/json; charset=utf-8" };
  expect(await ada.post("/components", "{}", charset)).toMatchObject({ status: 400 });
});

const bytesOf = (content: string | Uint8Array, encoding: "utf8" | "latin1" = "utf8") =>
  new Uint8Array(typeof content === "string" ? Buffer.from(content, encoding) : content);

test.for([
  ["gzip", "application/json", gzipSync(`{"url":"https://a.test/é"}`)],
  ["br, gzip", "application/json", gzipSync(brotliCompressSync(`{"url":"https://a.test/é"}`))],
  ["identity", "application/json", bytesOf(`\uFEFF{"url":"https://a.test/é"}`)],
  [
    "identity",
    "application/json; charset=iso-8859-1",
    bytesOf(`{"url":"https://a.test/é"}`, "latin1"),
  ],
] as const)("a body in %s, of type %s, is decoded", async ([coding, type, content]) => {
  const ada = await signUp();
  const headers = { "content-type": type, "content-encoding": coding };
  const created = await ada.post("/webhooks", bytesOf(content), headers);
  expect(created).toMatchObject({ status: 200, body: { data: { url: "https://a.test/é" } } });
});

test("a body that is not compressed as declared is 415, and 413 if it is too large then", async () => {
  const ada = await signUp();
  const post = (content: string | Uint8Array, coding: string) =>
    ada.post("/webhooks", bytesOf(content), {
      "content-type": "application/json",
      "content-encoding": coding,
    });
  for (const coding of ["gzip", "zstd"])
    expect(await post("{}", coding)).toMatchObject({
      status: 415,
      body: { error: expect.stringContaining("Content-Encoding"), code: "unsupported_media_type" },
    });
  const bomb = brotliCompressSync(Buffer.alloc(64 * MEGABYTE));
  expect(await post(bomb, "br")).toMatchObject({ status: 413, body: { code: "too_large" } });
});

test("a body over 5 MB is 413, even without a declared length", async () => {
  const ada = await signUp();
  const json = { "content-type": "application/json" };
  expect(await ada.post("/components", "x".repeat(5 * MEGABYTE + 1), json)).toMatchObject({
    status: 413,
    body: { code: "too_large" },
  });

  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 1;
      if (sent > 100) controller.close();
      else controller.enqueue(new Uint8Array(MEGABYTE).fill(32));
    },
  });
  expect(await ada.post("/components", endless, json)).toMatchObject({ status: 413 });
  expect(sent).toBeLessThan(20);
});

test("a URL of over 16 KB is 414, headers of over 32 KB are 431", async () => {
  const ada = await signUp();
  const long = `/components?component_code=${"x".repeat(16 * 1024)}`;
  expect(await ada.post(long)).toMatchObject({ status: 414, body: { code: "uri_too_long" } });
  expect(await operator.post("/users?username=ada".padEnd(17 * 1024, "a"))).toMatchObject({
    status: 414,
  });
  const header = (bytes: number) => ({ "x-long": "x".repeat(bytes) });
  expect(await ada.get("/users/me", undefined, header(32 * 1024))).toMatchObject({
    status: 431,
    body: { code: "headers_too_large" },
  });
  expect(await ada.get("/users/me", undefined, header(30 * 1024))).toMatchObject({ status: 200 });
});

test("accepts a body of 5 MB", async () => {
  const ada = await signUp();
  const body = `{"component_url": "example.com"}${" ".repeat(5 * MEGABYTE - 100)}`;
  const json = { "content-type": "application/json" };
  expect(await ada.post("/components", body, json)).toMatchObject({ status: 400 });
});

test("reads parameters from the query string and the body, which takes precedence", async () => {
  const ada = await signUp();
  const code = (name: string) => `export default { name: "${name}", version: "1", run() {} }`;
  const inQuery = `/components?component_code=${encodeURIComponent(code("query"))}`;
  expect(await ada.post(inQuery)).toMatchObject({ status: 200, body: { data: { name: "query" } } });
  expect(await ada.post(inQuery, { component_code: code("body") })).toMatchObject({
    body: { data: { name: "body" } },
  });
});

test("returns only the requested fields", async () => {
  const ada = await signUp();
  const code = `export default { name: "n", version: "1", run() {} }`;
  expect(
    (await ada.post("/components?include=id,name,bogus", { component_code: code })).body.data,
  ).toEqual({ id: expect.any(String), name: "n" });
  expect(
    Object.keys(
      (await ada.post("/components", { component_code: code, exclude: "code,id" })).body.data,
    ),
  ).toEqual([
    "code_hash",
    "name",
    "version",
    "component_type",
    "configurable_props",
    "created_at",
    "updated_at",
  ]);
  expect((await ada.get("/users/me?include=id,email&exclude=email")).body).toEqual({
    data: { id: ada.user.id },
  });
  expect((await ada.get("/users/me?include=")).body.data).toHaveProperty("email");
});

test("names of unknown fields are warnings, and select nothing", async () => {
  const ada = await signUp();
  const { body: whole } = await ada.get("/users/me");
  expect((await ada.get("/users/me?include=nope,other")).body).toEqual({
    ...whole,
    warnings: ["include: nope is not a field", "include: other is not a field"],
  });
  expect((await ada.get("/users/me?include=id,nope&exclude=emial")).body).toEqual({
    data: { id: ada.user.id },
    warnings: ["include: nope is not a field", "exclude: emial is not a field"],
  });
  expect((await ada.get("/users/me/sources?include=nope")).body).toMatchObject({
    data: [],
    warnings: ["include: nope is not a field"],
  });
  const created = await ada.post("/webhooks", {
    url: "https://example.com",
    include: "idd",
    nmae: "x",
  });
  expect(created.body).toMatchObject({
    data: { url: "https://example.com" },
    warnings: ["include: idd is not a field", "nmae: is not a known field"],
  });
});

test.for(["1e1", "0x5", "+5", "5.0", " 5", "", "0", "101"])(
  "a limit is plain digits: not %j",
  async (limit) => {
    const ada = await signUp();
    const { status, body } = await ada.get(`/users/me/sources?limit=${encodeURIComponent(limit)}`);
    expect([status, body.error]).toEqual([400, expect.stringContaining("limit")]);
    expect((await ada.get("/users/me/sources?limit=5")).status).toBe(200);
  },
);

test("the response to HEAD has no body", async () => {
  const { user } = await signUp();
  const response = await exports.default.fetch(`${ORIGIN}/v1/users/me`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${user.api_key}` },
  });
  expect([response.status, await response.text()]).toEqual([200, ""]);
});
