import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { withBody } from "#worker/http/mcp/body.ts";

import { ORIGIN, signUp } from "../support/client.ts";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

async function post(body: string) {
  const ada = await signUp();
  const response = await exports.default.fetch(`${ORIGIN}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${ada.user.api_key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body,
  });
  return { status: response.status, body: await response.json() };
}

test("rejects a body with too deep nesting before parsing it", async () => {
  const params = `{ "name": "run", "arguments": { "props": ${nested(5000)} } }`;
  const body = `{ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ${params} }`;
  expect(await post(body)).toEqual({
    status: 400,
    body: {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_600, message: "The body may be nested at most 500 levels deep" },
    },
  });
});

test("forwards a body without its byte order mark", async () => {
  const request = new Request(ORIGIN, { method: "POST", body: `\uFEFF{"id":7}` });
  const forwarded = await withBody(request);
  expect(Buffer.from(await forwarded.arrayBuffer()).toString()).toBe(`{"id":7}`);
});

test("rejects a body that is too large", async () => {
  expect(await post(JSON.stringify("x".repeat(4 * 1024 * 1024)))).toMatchObject({
    status: 413,
    body: { error: { message: "The body may have at most 4 MB" } },
  });
});

test("rejects a body that does not arrive in time, and forwards one that does", async () => {
  const stuck = new Request(`${ORIGIN}/mcp`, { method: "POST", body: new ReadableStream() });
  const refused = await withBody(stuck, 50);
  expect(refused).toBeInstanceOf(Response);
  expect(refused).toMatchObject({ status: 408 });

  const headers = { "content-type": "application/json", "mcp-method": "ping" };
  const whole = new Request(`${ORIGIN}/mcp?apps=a`, { method: "POST", headers, body: "[1]" });
  const passed = await withBody(whole);
  expect(passed).toBeInstanceOf(Request);
  expect(passed).toMatchObject({ method: "POST", url: `${ORIGIN}/mcp?apps=a` });
  expect(passed.headers.get("mcp-method")).toBe("ping");
  expect(await passed.text()).toBe("[1]");
});
