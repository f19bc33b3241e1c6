import { expect, test } from "vitest";

import { deploy, eventsOf, send, sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

const ECHO = `export default { props: { http: "$.interface.http" }, run(event) { this.$emit(event) } }`;

async function lastEvent(source: Awaited<ReturnType<typeof deploy>>) {
  return (await eventsOf(source.stub))[0]?.event;
}

test("an HTTP event has method, path, query, headers, body and client address", async () => {
  const source = await deploy(ECHO);
  await send(`${source.url}/orders/7?page=2&tag=a&tag=b`, {
    method: "PUT",
    headers: {
      "Content-Type": "application/json",
      "X-Signature": "abc",
      "cf-connecting-ip": "192.0.2.7",
    },
    body: '{"total": 12}',
  });
  expect(await lastEvent(source)).toMatchObject({
    method: "PUT",
    path: "/orders/7",
    query: { page: "2", tag: ["a", "b"] },
    headers: { "content-type": "application/json", "x-signature": "abc" },
    bodyRaw: '{"total": 12}',
    body: { total: 12 },
    url: `${source.url}/orders/7?page=2&tag=a&tag=b`,
    client_ip: "192.0.2.7",
  });
});

test("a request without body or path has an empty bodyRaw and the URL of the endpoint", async () => {
  const source = await deploy(ECHO);
  await send(source.url, { method: "GET" });
  const event = await lastEvent(source);
  expect(event).toMatchObject({ method: "GET", path: "/", query: {}, url: source.url });
  expect(event).not.toHaveProperty("body");
  expect(event).toHaveProperty("bodyRaw", "");
});

test.for([
  ["application/json", "[1,2]", [1, 2]],
  ["application/vnd.api+json; charset=utf-8", '{"a":1}', { a: 1 }],
  ["application/json", "{broken", "{broken"],
  [
    "application/x-www-form-urlencoded",
    "contact[id]=7&a=1&a=2",
    { "contact[id]": "7", a: ["1", "2"] },
  ],
  ["text/plain", "plain", "plain"],
  ["text/xml", "<a/>", "<a/>"],
] as const)("a %s body %j becomes %j", async ([type, bodyRaw, body]) => {
  const source = await deploy(ECHO);
  await send(source.url, { headers: { "content-type": type }, body: bodyRaw });
  expect(await lastEvent(source)).toMatchObject({ bodyRaw, body });
});

test("a binary body arrives as base64", async () => {
  const source = await deploy(ECHO);
  await send(source.url, { body: new Uint8Array([0xff, 0x00, 0xfe]) });
  expect(await lastEvent(source)).toMatchObject({
    body: "/wD+",
    bodyRaw: "/wD+",
    isBase64Encoded: true,
  });
});

test.for([
  ["of its declared length", new Uint8Array(512 * 1024 + 1)],
  [
    "of a stream",
    () =>
      new ReadableStream({
        start(controller) {
          for (let n = 0; n < 9; n += 1) controller.enqueue(new Uint8Array(64 * 1024));
          controller.close();
        },
      }),
  ],
] as const)("a body over 512 KB %s is rejected, and nothing is stored", async ([, body]) => {
  const source = await deploy(ECHO);
  const response = await send(source.url, { body: typeof body === "function" ? body() : body });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ code: "too_large" });
  expect(await eventsOf(source.stub)).toEqual([]);
});

test("an unknown endpoint is 404 for a body of any size", async () => {
  const { url } = await deploy(ECHO);
  const response = await send(`${url}x`, { body: new Uint8Array(512 * 1024 + 1) });
  expect(response.status).toBe(404);
});

test("OPTIONS gets a permissive CORS response, and runs nothing", async () => {
  const source = await deploy(ECHO);
  const response = await send(source.url, { method: "OPTIONS" });
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await eventsOf(source.stub)).toEqual([]);
});

test("pages of any origin may read the response", async () => {
  const source = await deploy(ECHO);
  for (const url of [source.url, `${source.url}x`])
    expect((await send(url)).headers.get("access-control-allow-origin")).toBe("*");
});

test("HEAD gets a response without a body, and runs", async () => {
  const source = await deploy(ECHO);
  const response = await send(source.url, { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
  expect(await lastEvent(source)).toMatchObject({ method: "HEAD" });
});

function responding(body: string): string {
  return `export default {
    props: { http: { type: "$.interface.http", customResponse: true } },
    async run(event) { ${body} },
  }`;
}

test.for([
  [
    "an object",
    `{ status: 201, headers: { "x-a": 1 }, body: { ok: 1 } }`,
    201,
    '{"ok":1}',
    "application/json",
  ],
  ["a string", `{ status: 200, body: "hi" }`, 200, "hi", "text/plain;charset=UTF-8"],
  ["a status as text", `{ status: "202" }`, 202, "", null],
  ["statusCode", `{ statusCode: 404, body: "no" }`, 404, "no", "text/plain;charset=UTF-8"],
  ["nothing", ``, 200, "", null],
  [
    "immediate",
    `{ status: 200, immediate: true, body: "now" }`,
    200,
    "now",
    "text/plain;charset=UTF-8",
  ],
  ["a status without a body", `{ status: 204, body: "dropped" }`, 204, "", null],
  ["a Buffer", `{ status: 200, body: Buffer.from("bytes") }`, 200, "bytes", null],
] as const)("respond() with %s", async ([, given, status, text, type]) => {
  const { url } = await deploy(responding(`this.http.respond(${given})`));
  const response = await send(url);
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(text);
  expect(response.headers.get("content-type")).toBe(type);
});

test("a body of several MB is sent whole", async () => {
  const { url } = await deploy(
    responding(`this.http.respond({ status: 200, body: "x".repeat(8_000_000) })`),
  );
  expect((await (await send(url)).text()).length).toBe(8_000_000);
});

test("a component's response is unchanged, even if it resembles the platform's", async () => {
  const { url } = await deploy(
    responding(
      `this.http.respond({ status: 500, headers: { "x-request-id": "mine" }, body: "no" })`,
    ),
  );
  const response = await send(url);
  expect(response.headers.get("x-request-id")).toBe("mine");
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
});

test("a binary Buffer is sent unchanged", async () => {
  const { url } = await deploy(
    responding(`this.http.respond({ status: 200, body: Buffer.from([255, 0, 254]) })`),
  );
  expect(new Uint8Array(await (await send(url)).arrayBuffer())).toEqual(
    new Uint8Array([255, 0, 254]),
  );
});

test.for([
  ["does not respond", ``, 400],
  ["throws first", `throw new Error("no")`, 502],
  ["responds with a status that cannot be sent", `this.http.respond({ status: 101 })`, 502],
  ["responds with a status out of range", `this.http.respond({ status: 99 })`, 502],
  [
    "responds with headers that cannot be sent",
    `this.http.respond({ status: 200, headers: { "a b": "c" } })`,
    502,
  ],
] as const)("the response of a component that %s is %i", async ([, body, status]) => {
  const { url } = await deploy(responding(body));
  const response = await send(url);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({
    error: expect.any(String),
    code: expect.any(String),
  });
});

test("a status out of range is a RangeError inside the component", async () => {
  const { stub, url } = await deploy(
    responding(
      `try { this.http.respond({ status: 600 }) } catch (error) { this.$emit(error.message) }`,
    ),
  );
  await send(url);
  expect((await eventsOf(stub))[0]?.event).toMatch(/integer from 100 to 599, got 600/);
});

test("the response is sent while the run continues", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const { stub, url } = await deploy(
    responding(
      `this.http.respond({ status: 202 }); await fetch("${gate.url}", { method: "POST" }); this.$emit("done")`,
    ),
  );
  const response = await send(url);
  expect(response.status).toBe(202);
  expect(await stub.events({ limit: 1, expand: false })).toMatchObject({ totalCount: 0 });
  await gate.release();
  await expect.poll(() => eventsOf(stub)).toMatchObject([{ event: "done" }]);
});

test.for([
  [
    "1,001 headers",
    `{ status: 200, headers: { "set-cookie": Array.from({ length: 1001 }, (_, n) => "a=" + n) } }`,
    "respond(): a response may have at most 1000 headers",
  ],
  ["28 MB of text", `{ status: 200, body: "x".repeat(15e6) }`, "at most 28 MB in all"],
  ["28 MB of headers", `{ status: 200, headers: { a: "x".repeat(15e6) } }`, "at most 28 MB in all"],
] as const)("respond() with more than %s throws inside the component", async ([, given, why]) => {
  const source = await deploy(
    responding(`
      try { this.http.respond(${given}) } catch (error) { this.$emit(error.message) }
      this.http.respond({ status: 200, body: "less" });`),
  );
  expect(await (await send(source.url)).text()).toBe("less");
  expect(await lastEvent(source)).toContain(why);
});

test("a customResponse endpoint receives OPTIONS itself", async () => {
  const { url } = await deploy(
    responding(`this.http.respond({ status: 200, body: event.method })`),
  );
  expect(await (await send(url, { method: "OPTIONS" })).text()).toBe("OPTIONS");
});

test("a slow run is acknowledged from the inbox", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const { stub, url } = await deploy(`export default {
    props: { http: "$.interface.http", db: "$.service.db" },
    async run(event) { await fetch("${gate.url}", { method: "POST" }); this.$emit(event.body.n) },
  }`);
  const responses = await Promise.all([1, 2, 3].map((n) => sendJson(url, { n })));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await stub.events({ limit: 3, expand: false })).toMatchObject({ totalCount: 0 });
  await gate.release();
  await expect
    .poll(async () => (await eventsOf(stub)).map(({ event }) => event))
    .toEqual([3, 2, 1]);
});

test("a request at the hop limit is rejected, and runs nothing", async () => {
  const source = await deploy(ECHO);
  const looped = await send(source.url, { headers: { "x-wellspring-hops": "16" } });
  expect(looped.status).toBe(508);
  expect(await looped.json()).toMatchObject({ code: "loop_detected" });
  expect(await eventsOf(source.stub)).toEqual([]);
});
