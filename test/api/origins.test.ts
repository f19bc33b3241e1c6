// @suites loader

import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { app } from "#worker/http/app.ts";
import { ingress } from "#worker/ingress.ts";

import { operator, ORIGIN, request, signUp } from "../support/client.ts";

const EVENTS_URL = "https://events.example";

/** Responds with headers that affect other pages of its origin. */
const PAGE = `export default { name: "Page", version: "1",
  props: { http: { type: "$.interface.http", customResponse: true } },
  run() {
    this.http.respond({ status: 200, body: "<script>localStorage.key</script>", headers: {
      "content-type": "text/html",
      "service-worker-allowed": "/",
      "clear-site-data": '"*"',
      "strict-transport-security": "max-age=1",
      "content-security-policy": "img-src 'none'",
      "set-cookie": ["a=1; Path=/; Domain=example; HttpOnly",
        "wellspring_session=forged; Path=/", "__Host-Wellspring_Session=forged; Secure; Path=/",
        "=wellspring_session=forged; Path=/"],
    } });
  } }`;

async function deployed() {
  const { body } = await (await signUp()).post("/sources", { component_code: PAGE });
  return new URL(body.data.configured_props.http.endpoint_url).pathname;
}

/** Create a source on a platform with a separate origin for endpoints. Returns the URL of its endpoint. */
async function createdApart(
  { user }: Awaited<ReturnType<typeof signUp>>,
  component_code: string,
): Promise<string> {
  const incoming = new Request(`${ORIGIN}/v1/sources`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ component_code }),
  });
  const answer = await app.fetch(incoming, { ...env, EVENTS_URL }, createExecutionContext());
  const { data }: { data: { configured_props: { http: { endpoint_url: string } } } } =
    await answer.json();
  return data.configured_props.http.endpoint_url;
}

/** The Worker's response to a request where endpoints have a separate origin. */
async function apart(url: string): Promise<Response> {
  const own = { ...env, EVENTS_URL };
  const incoming = new Request(url);
  return (await ingress(incoming, own)) ?? app.fetch(incoming, own, createExecutionContext());
}

test("on the API's origin, a component's page is sandboxed and its cookies are limited to its path", async () => {
  const path = await deployed();
  const { headers } = await exports.default.fetch(`${ORIGIN}${path}/page`);
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "text/html",
    "x-content-type-options": "nosniff",
    "content-security-policy": "img-src 'none', sandbox allow-scripts allow-forms allow-popups",
  });
  expect(headers.getSetCookie()).toEqual([`a=1; HttpOnly; Path=${path}`]);
  for (const name of ["service-worker-allowed", "clear-site-data", "strict-transport-security"])
    expect(headers.has(name)).toBe(false);
});

test("on a separate origin, a component's response has its own headers, with nosniff", async () => {
  const path = await deployed();
  const { headers } = await apart(`${EVENTS_URL}${path}`);
  expect(Object.fromEntries(headers)).toEqual({
    "content-type": "text/html",
    "service-worker-allowed": "/",
    "clear-site-data": '"*"',
    "strict-transport-security": "max-age=1",
    "content-security-policy": "img-src 'none'",
    "set-cookie": "a=1; Path=/; Domain=example; HttpOnly",
    "x-content-type-options": "nosniff",
  });
  const shared = await apart(`${ORIGIN}${path}`);
  expect(shared.headers.get("content-security-policy")).toContain("sandbox");
});

test("a page on another port of the API's host is sandboxed, because ports share cookies", async () => {
  const path = await deployed();
  const sibling = "http://wellspring.test:8443";
  const own = { ...env, EVENTS_URL: sibling };
  const answer = await ingress(new Request(`${sibling}${path}`), own);
  expect(answer?.headers.get("content-security-policy")).toContain("sandbox");
});

test.for(["https://events.example:443", "https://events.example.", "https://EVENTS.example.:443"])(
  "%s is the origin of endpoints, too",
  async (origin) => {
    for (const other of ["/v1/openapi.json", "/console/", "/admin/openapi.json"])
      expect((await apart(`${origin}${other}`)).status).toBe(404);
    expect((await apart(`${origin}${await deployed()}`)).status).toBe(200);
  },
);

test("the origin of endpoints serves nothing else, and is in their URLs", async () => {
  const path = await deployed();
  for (const other of ["/v1/openapi.json", "/docs", "/admin/openapi.json", "/"])
    expect((await apart(`${EVENTS_URL}${other}`)).status).toBe(404);
  expect((await apart(`${EVENTS_URL}${path}`)).status).toBe(200);
  // The platform may be healthy or not: the response is its health report.
  expect(await (await apart(`${EVENTS_URL}/health`)).text()).toContain("checks");
  expect(await createdApart(await signUp(), PAGE)).toMatch(/^https:\/\/events\.example\/e\//);
});

test("a request to the API's origin carries its cause where endpoints have another origin", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", {
    component_code: `export default { name: "Receiver", version: "1",
      props: { http: "$.interface.http" }, run({ headers }) { this.$emit(headers); } }`,
  });
  const { id, configured_props } = body.data;
  const caller = await createdApart(
    ada,
    `export default { name: "Caller", version: "1", props: { http: "$.interface.http" },
      run() { return fetch("${configured_props.http.endpoint_url}"); } }`,
  );
  await exports.default.fetch(`${ORIGIN}${new URL(caller).pathname}`);
  const received = async () => {
    const events = await ada.get(`/sources/${id}/event_summaries?expand=event`);
    return events.body.data[0]?.event;
  };
  await expect.poll(received).toMatchObject({
    "x-wellspring-hops": "1",
    "x-wellspring-budget": expect.stringMatching(/^\d{4}$/),
  });
});

test("responses of the API are neither cached nor sniffed", async () => {
  const ada = await signUp();
  const answers = [
    await ada.get("/users/me"),
    await ada.get("/sources/dc_none"),
    await ada.get("/nowhere"),
    await ada.post("/sources", {}),
    await request("GET", "/v1/users/me"),
    await operator.get("/nowhere"),
    await operator.post("/workspaces", {}),
  ];
  for (const { headers } of answers)
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
});
