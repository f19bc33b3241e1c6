import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";

import {
  createClient,
  verifyWebhook,
  WebhookVerificationError,
  WellspringError,
} from "../../packages/client/src/index.ts";
import { serve } from "../support/serve.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A client of a server with these responses, one after the other, and the received requests. */
async function clientOf(...answers: Answer[]) {
  const requests: IncomingMessage[] = [];
  const { origin, close } = await serve((request, response) => {
    requests.push(request);
    const next = answers[requests.length - 1];
    if (!next) throw new Error(`Unexpected request ${request.method} ${request.url}`);
    return next(request, response);
  });
  onTestFinished(close);
  return { client: createClient({ baseUrl: `${origin}/`, apiKey: "key" }), requests };
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_, response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));
}

const refusal = (status: number, retryAfter = "0") =>
  answer(status, { error: "Too many", code: "rate_limited" }, { "retry-after": retryAfter });

test("a call sends the key and returns the body", async () => {
  const { client, requests } = await clientOf(answer(200, { data: { id: "dc_1" } }));
  const params = { path: { id: "dc_1" } };
  await expect(client.get("/sources/{id}", { params })).resolves.toEqual({ data: { id: "dc_1" } });
  expect(requests[0]).toMatchObject({
    url: "/v1/sources/dc_1",
    headers: { authorization: "Bearer key" },
  });
});

test("a failure throws an error with code, status, request id and details", async () => {
  const details = { issues: [{ path: "name", message: "is required" }] };
  const failure = { error: "name: is required", code: "invalid_input", details };
  const { client } = await clientOf(answer(400, failure, { "x-request-id": "req_1" }));
  const error = await client.post("/sources").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WellspringError);
  expect(error).toMatchObject({
    message: "name: is required",
    code: "invalid_input",
    status: 400,
    requestId: "req_1",
    details,
  });
});

test("a failure of a proxy throws an error, too", async () => {
  const { client } = await clientOf((_, response) => response.writeHead(418).end("<html>"));
  await expect(client.post("/sources")).rejects.toMatchObject({ code: "unknown", status: 418 });
});

test("the client retries a rejected request with its body after Retry-After", async () => {
  const bodies: string[] = [];
  const keep =
    (next: Answer): Answer =>
    async (request, response) => {
      bodies.push(await text(request));
      return next(request, response);
    };
  const { client } = await clientOf(keep(refusal(429, "1")), keep(answer(200, { data: {} })));
  const timer = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timer.mockRestore());
  await client.post("/sources", { body: { name: "Ada" } });
  expect(timer.mock.calls.map(([, ms]) => ms)).toContain(1000);
  expect(bodies).toEqual(['{"name":"Ada"}', '{"name":"Ada"}']);
});

test("the client retries twice, but never after a Retry-After of more than a minute", async () => {
  const often = await clientOf(refusal(429), refusal(503), refusal(429));
  await expect(often.client.get("/users/me")).rejects.toMatchObject({ status: 429 });
  expect(often.requests).toHaveLength(3);
  const late = await clientOf(refusal(429, "61"));
  await expect(late.client.get("/users/me")).rejects.toMatchObject({ code: "rate_limited" });
});

test("the client retries only reads after a failure", async () => {
  const read = await clientOf(
    (_, response) => response.destroy(),
    answer(502, {}, { "retry-after": "0" }),
    answer(200, { data: {} }),
  );
  await read.client.get("/users/me");
  const write = await clientOf(answer(502, {}, { "retry-after": "0" }));
  await expect(write.client.post("/sources")).rejects.toMatchObject({ status: 502 });
});

test("a list goes through all pages", async () => {
  const page = (ids: string[], end_cursor: string | null) =>
    answer(200, { page_info: { end_cursor }, data: ids.map((id) => ({ id })) });
  const { client, requests } = await clientOf(
    page(["a", "b"], "x"),
    page(["c"], "y"),
    page([], null),
  );
  const ids: string[] = [];
  for await (const { id } of client.list("/users/me/sources")) ids.push(id);
  expect(ids).toEqual(["a", "b", "c"]);
  expect(requests.map(({ url }) => url)).toEqual([
    "/v1/users/me/sources?limit=100",
    "/v1/users/me/sources?limit=100&after=x",
    "/v1/users/me/sources?limit=100&after=y",
  ]);
});

test("a broken stream resumes after the last message", async () => {
  const stream =
    (...ids: string[]): Answer =>
    (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const messages = ids.map((id) => `id: 9-0_${id}\ndata: ${JSON.stringify({ id })}\n\n`);
      response.write(messages.join(""), () => response.socket?.destroySoon());
    };
  const { client, requests } = await clientOf(
    stream("1-0", "2-0"),
    refusal(503),
    stream("3-0"),
    answer(404, { error: "No source", code: "not_found" }),
  );
  const ids: string[] = [];
  const following = async () => {
    const options = { eventName: "$errors", lastEventId: "0-0" };
    for await (const { id } of client.follow("dc_1", options)) ids.push(id);
  };
  await expect(following()).rejects.toMatchObject({ code: "not_found" });
  expect(ids).toEqual(["1-0", "2-0", "3-0"]);
  expect(requests.map(({ headers }) => headers["last-event-id"])).toEqual([
    "0-0",
    "9-0_2-0",
    "9-0_2-0",
    "9-0_3-0",
  ]);
  expect(requests[0]?.url).toBe("/v1/sources/dc_1/sse?event_name=%24errors");
});

test("a signal ends an open stream", async () => {
  const { client } = await clientOf((_, response) => response.writeHead(200).write(": open\n\n"));
  const following = client.follow("p_1", { signal: AbortSignal.timeout(100) });
  await expect(following.next()).rejects.toMatchObject({ name: "TimeoutError" });
});

test("the client verifies the signature of a delivery", () => {
  const secret = `whsec_${Buffer.from("a secret of 24 bytes or so").toString("base64")}`;
  const [payload, at] = ['{"n":1}', new Date()];
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, payload),
  };
  expect(verifyWebhook({ payload, headers, secret })).toEqual({ n: 1 });
  expect(verifyWebhook({ payload, headers: new Headers(headers), secret })).toEqual({ n: 1 });
  const forged = () => verifyWebhook({ payload: '{"n":2}', headers, secret });
  expect(forged).toThrow(WebhookVerificationError);
});
