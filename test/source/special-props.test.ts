import { exports } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { signUp } from "../support/client.ts";

const receivers = inject("receiverServer");

/** A receiver that responds with `step`. */
async function receiver(step: object): Promise<string> {
  const url = `${receivers}/${crypto.randomUUID()}`;
  await fetch(url, { method: "PUT", body: JSON.stringify([step]) });
  return url;
}

const receivedBy = async (url: string) =>
  (await (await fetch(url)).json()) as { headers: Record<string, string>; body: string }[];

/** The result of `body` in a source with these props and values. */
async function emitted(props: string, values: object, body: string): Promise<unknown> {
  const ada = await signUp();
  const component_code = `export default { name: "Special", version: "1",
    props: { http: "$.interface.http", ${props} },
    async run() { this.$emit(await (async () => { ${body} })()); } }`;
  const created = await ada.post("/sources", { component_code, configured_props: values });
  expect([created.status, created.body.error]).toEqual([200, undefined]);
  const { id, configured_props: shown } = created.body.data;
  await (await exports.default.fetch(shown.http.endpoint_url, { method: "POST" })).text();
  const events = async () => (await ada.get(`/sources/${id}/event_summaries?expand=event`)).body;
  await expect.poll(async () => (await events()).data).toHaveLength(1);
  return (await events()).data[0].event;
}

const request = (config: object, body = "return this.request.execute()") =>
  emitted(`request: "http_request"`, { request: config }, body);

test("sends an http_request as configured, and parses the response", async () => {
  const url = await receiver({
    status: 201,
    headers: { "x-page": "2", "content-type": "application/json" },
    body: `{"ok":[true]}`,
  });
  const answer = await request({
    method: "post",
    url,
    auth: { type: "basic", username: "ada", password: "é" },
    headers: [
      { name: "x-one", value: "1" },
      { name: "", value: "" },
      { name: "x-off", value: "1", disabled: true },
    ],
    body: { a: 1 },
  });
  expect(answer).toMatchObject({ data: { ok: [true] }, status: 201, headers: { "x-page": "2" } });
  expect(Object.keys(answer as object).toSorted()).toEqual(["data", "headers", "status"]);
  const [got] = await receivedBy(url);
  expect(got).toMatchObject({
    body: `{"a":1}`,
    headers: {
      "x-one": "1",
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from("ada:é").toString("base64")}`,
    },
  });
  expect(got?.headers).not.toHaveProperty("x-off");
});

test.for([
  ["raw text", "plain", "plain", "text/plain;charset=UTF-8"],
  ["JSON text", `{"a":1}`, `{"a":1}`, "application/json"],
  [
    "a form's raw body",
    { mode: "raw", contentType: "text/xml", raw: "<a/>", fields: [] },
    "<a/>",
    "text/xml",
  ],
  [
    "a form's fields",
    { mode: "fields", contentType: "application/json", fields: [{ name: "a", value: "1" }] },
    `{"a":"1"}`,
    "application/json",
  ],
  [
    "urlencoded fields",
    {
      type: "fields",
      contentType: "application/x-www-form-urlencoded",
      fields: [{ name: "a", value: "1 2" }],
    },
    "a=1+2",
    "application/x-www-form-urlencoded;charset=UTF-8",
  ],
  ["nothing of a form", { type: "none", contentType: "application/json" }, "", undefined],
  ["data", [1, 2], "[1,2]", "application/json"],
] as const)("an http_request sends %s", async ([, body, sent, type]) => {
  const url = await receiver({ status: 200 });
  expect(await request({ method: "POST", url, body })).toMatchObject({ status: 200, data: "" });
  const [got] = await receivedBy(url);
  expect([got?.body, got?.headers["content-type"]]).toEqual([sent, type]);
});

test("adds params to those of the URL, and sends a token", async () => {
  const url = await receiver({ status: 200 });
  const params = [
    { name: "b", value: "x y" },
    { name: "a", value: 2 },
  ];
  const auth = { type: "bearer", token: "secret" };
  await request({ method: "PATCH", url: `${url}?a=1`, params, auth });
  const [got] = await receivedBy(`${url}?a=1&b=x+y&a=2`);
  expect(got?.headers).toMatchObject({ authorization: "Bearer secret" });
});

test.for([
  [404, "ERR_BAD_REQUEST"],
  [503, "ERR_BAD_RESPONSE"],
] as const)("throws a failed response, %i, as axios does", async ([status, code]) => {
  const url = await receiver({ status, headers: { "x-why": "gone" }, body: `{"error":"no"}` });
  const body = `try { await this.request.execute() } catch (error) {
    return { code: error.code, message: error.message, response: error.response, name: error.name,
      status: error.status, axios: error.isAxiosError, isError: error instanceof Error } }`;
  expect(await request({ method: "DELETE", url }, body)).toEqual({
    code,
    message: `Request failed with status code ${status}`,
    response: {
      data: { error: "no" },
      status,
      headers: expect.objectContaining({ "x-why": "gone" }),
    },
    name: "AxiosError",
    status,
    axios: true,
    isError: true,
  });
});

test("a request without a response throws an error without one", async () => {
  const body = `try { await this.request.execute() } catch ({ code, response }) { return [code, typeof response] }`;
  expect(await request({ method: "DELETE", url: "http://127.0.0.1:1/" }, body)).toEqual([
    "ERR_NETWORK",
    "undefined",
  ]);
});

test("an http_request is sent as it is when it executes", async () => {
  const [first, second] = [await receiver({ status: 200 }), await receiver({ status: 200 })];
  const body = `
    await this.request.execute();
    Object.assign(this.request, {
      url: "${second}", method: "PATCH", body: { page: 2 }, auth: { type: "bearer", token: "t" },
      headers: { "x-page": "2" }, params: [{ name: "page", value: "2" }],
    });
    await this.request.execute();
    this.request.headers = [{ name: "x-page", value: "3" }];
    const failing = { ...this.request, url: "http://127.0.0.1:1/" };
    const { execute } = Object.assign(this.request, failing, { execute: this.request.execute });
    const error = await execute().catch((thrown) => thrown);
    return [error.config.url, "execute" in error.config]`;
  const shown = await request({ method: "POST", url: first, params: [] }, body);
  expect(shown).toEqual(["http://127.0.0.1:1/", false]);
  expect(await receivedBy(first)).toHaveLength(1);
  expect(await receivedBy(second)).toMatchObject([
    {
      body: `{"page":2}`,
      headers: { authorization: "Bearer t", "x-page": "2" },
    },
  ]);
});

test("the rest of this has only configured props", async () => {
  const props = `text: "string", syncDir: { type: "dir", accessMode: "read", sync: true },
    app: { type: "app", app: "okapi", optional: true }, note: { type: "string", optional: true },
    request: { type: "http_request", optional: true }, store: { type: "data_store", optional: true },
    alert: { type: "alert", content: "Careful" }, timer: { type: "$.interface.timer", optional: true }`;
  const body = `
    const { text, ...fields } = this;
    const set = Object.keys(fields).filter((name) => fields[name] !== undefined);
    return [set, this.syncDir.path, typeof this.app.$auth]`;
  expect(await emitted(props, { text: "hello" }, body)).toEqual([[], "/tmp", "object"]);
});

test("an http_request shows its configuration, and uses its default if none is configured", async () => {
  const props = `request: { type: "http_request", optional: true, default: { method: "GET", url: "https://a.test" } }`;
  const body = `return [this.request.method, this.request.url, typeof this.request.execute]`;
  expect(await emitted(props, {}, body)).toEqual(["GET", "https://a.test", "function"]);
});

test("an sql prop has the form that executeQueryAdapter requires", async () => {
  const app = `{ type: "app", app: "pg", methods: {
    executeQueryAdapter({ query: sql = "", params: values = [] } = {}) { return { sql, values } } } }`;
  const props = `app: ${app}, sql: { type: "sql", auth: { app: "pg" }, label: "Query" }`;
  const query = { query: "SELECT $1", params: [7] };
  const body = `return this.app.executeQueryAdapter(this.sql)`;
  expect(await emitted(props, { sql: query }, body)).toEqual({ sql: "SELECT $1", values: [7] });
  expect(await emitted(props, { sql: "SELECT 1" }, body)).toEqual({ sql: "SELECT 1", values: [] });
});

test("alerts and folders have no configurable value", async () => {
  const props = `note: { type: "alert", alertType: "warning", content: "Careful" },
    syncDir: { type: "dir", accessMode: "read-write", sync: true }`;
  const body = `
    const { writeFileSync, readdirSync } = await import("node:fs");
    writeFileSync(this.syncDir.path + "/a.txt", "x");
    return [typeof this.note, readdirSync("/tmp")]`;
  const values = { note: "ignored", syncDir: true };
  expect(await emitted(props, values, body)).toEqual(["undefined", ["a.txt"]]);
});

test("special props are shown as declared and configured", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "Shown", version: "1", props: {
    note: { type: "alert", alertType: "info", content: "**Read** this" },
    plain: { type: "alert", content: "Without a tone" }, empty: { type: "alert", alertType: "info", content: "" },
    request: "http_request", sql: { type: "sql", auth: { app: "pg" } },
    timer: { type: "$.interface.timer", default: { intervalSeconds: 3600 } } }, run() {} }`;
  const saved = await ada.post("/components", { component_code });
  expect(saved.body.data.configurable_props).toMatchObject([
    { name: "note", type: "alert", alertType: "info", content: "**Read** this" },
    { name: "plain", type: "alert", content: "Without a tone" },
    { name: "empty", type: "alert", alertType: "info", content: "" },
    { name: "request", type: "http_request" },
    { name: "sql", type: "sql", auth: { app: "pg" } },
    { name: "timer" },
  ]);
  const target = { method: "GET", url: "https://a.test" };
  const answer = await ada.post("/sources", {
    component_code,
    configured_props: { request: target, sql: "SELECT 1" },
  });
  expect(answer.body.data.configured_props).toMatchObject({
    request: target,
    sql: { query: "SELECT 1", params: [] },
  });
  expect(await ada.post("/sources", { component_code })).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/request: is required; .*sql: is required/) },
  });
  expect(
    await ada.post("/components", {
      component_code: `export default { name: "Loud", version: "1", props: { x: { type: "alert", alertType: "loud", content: "!" } }, run() {} }`,
    }),
  ).toMatchObject({ status: 422, body: { error: expect.stringContaining("alertType") } });
});
