import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { ORIGIN, request, signUp, workspaceOf } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { agentOf, headersFor, messageOf } from "../support/mcp.ts";

const METADATA = "http://wellspring.test/.well-known/oauth-protected-resource/mcp";

test("an agent with an API key discovers the server", async () => {
  const ada = await signUp();
  const { status, body } = await agentOf(ada.user.api_key).send("server/discover");
  expect(status).toBe(200);
  expect(body.result).toMatchObject({
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { extensions: {} },
  });
});

test("a client of an earlier revision initializes", async () => {
  const ada = await signUp();
  const response = await exports.default.fetch(`${ORIGIN}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${ada.user.api_key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1.0.0" },
      },
    }),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("mcp-session-id")).toBeNull();
  const [, data = ""] = /^data: (.*)$/m.exec(await response.text()) ?? [];
  expect(JSON.parse(data).result).toMatchObject({
    protocolVersion: "2025-11-25",
    serverInfo: { name: "wellspring" },
  });
});

test("a subscription to changes of lists is acknowledged as none, and ends", async () => {
  const ada = await signUp();
  const method = "subscriptions/listen";
  const params = { notifications: { toolsListChanged: true } };
  const response = await exports.default.fetch(`${ORIGIN}/mcp`, {
    method: "POST",
    headers: {
      ...headersFor(ada.user.api_key, method, params),
      "content-type": "application/json",
    },
    body: JSON.stringify(messageOf(7, method, params)),
  });
  const messages = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, data = ""]): unknown => JSON.parse(data),
  );
  const tag = { "io.modelcontextprotocol/subscriptionId": 7 };
  expect(messages).toMatchObject([
    {
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: {}, _meta: tag },
    },
    { id: 7, result: { resultType: "complete", _meta: tag } },
  ]);
});

test.for([undefined, "", "nobody", "ctok_nobody", "wsat_nobody"])(
  "rejects the token %s, and names the resource metadata",
  async (token) => {
    const { status, headers, body } = await agentOf(token).send("server/discover");
    expect(status).toBe(401);
    expect(body.code).toBe("unauthorized");
    expect(headers.get("www-authenticate")).toBe(
      `Bearer resource_metadata="${METADATA}", scope="read act subscribe"`,
    );
  },
);

test("rejects a page of another origin, also with a valid key", async () => {
  const ada = await signUp();
  const from = (origin: string) =>
    agentOf(ada.user.api_key, { headers: { origin } }).send("server/discover");
  expect((await from("http://evil.example.com")).status).toBe(403);
  expect((await from("null")).status).toBe(403);
  expect((await from("http://wellspring.test")).status).toBe(200);
});

test("rejects an unknown method, and names it", async () => {
  const ada = await signUp();
  const { status, body } = await agentOf(ada.user.api_key).send("no/such");
  expect(status).toBe(404);
  expect(body.error).toMatchObject({ code: -32601 });
});

test("a program of a customer's names the project and the user that it acts for", async () => {
  const { token, project } = await newCustomer();
  const named = {
    "x-pd-project-id": project,
    "x-pd-environment": "development",
    "x-pd-external-user-id": "one",
  };
  const discover = (headers: Record<string, string>) =>
    agentOf(token, { headers }).send("server/discover");
  expect((await discover(named)).status).toBe(200);
  expect(await discover({})).toMatchObject({
    status: 400,
    body: { error: "x-pd-project-id: is required" },
  });
  expect(await discover({ "x-pd-project-id": project })).toMatchObject({
    status: 400,
    body: { error: "x-pd-external-user-id: is required" },
  });
  expect(await discover({ ...named, "x-pd-environment": "staging" })).toMatchObject({
    status: 400,
    body: { error: "x-pd-environment: must be development or production" },
  });
});

test("no customer acts in another customer's project", async () => {
  const [one, other] = [await newCustomer(), await newCustomer()];
  const headers = { "x-pd-project-id": other.project, "x-pd-external-user-id": "one" };
  for (const token of [one.token, one.ada.user.api_key])
    expect(await agentOf(token, { headers }).send("server/discover")).toMatchObject({
      status: 404,
    });
});

test("a connect token acts for its own user alone", async () => {
  const customer = await newCustomer();
  const { token } = await newBrowser(customer, "one");
  expect((await agentOf(token).send("server/discover")).status).toBe(200);
  const headers = { "x-pd-external-user-id": "two" };
  expect((await agentOf(token, { headers }).send("server/discover")).status).toBe(403);
  const narrow = await newBrowser(customer, "one", { scope: "connect:accounts:read" });
  expect(await agentOf(narrow.token).send("server/discover")).toMatchObject({
    status: 403,
    body: { error: "The token lacks the scope connect:accounts:write" },
  });
});

test("only a member can name a workspace", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const query = `?workspace_id=${await workspaceOf(ada)}`;
  expect((await agentOf(ada.user.api_key, { query }).send("server/discover")).status).toBe(200);
  expect((await agentOf(bob.user.api_key, { query }).send("server/discover")).status).toBe(404);
});

test("rejects a body that is not JSON, or too large", async () => {
  const ada = await signUp();
  const headers = {
    authorization: `Bearer ${ada.user.api_key}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
  };
  expect((await request("POST", "/mcp", { body: "{", headers })).status).toBe(400);
  const body = " ".repeat(4 * 1024 * 1024 + 1);
  expect((await request("POST", "/mcp", { body, headers })).status).toBe(413);
  expect((await request("GET", "/mcp", { headers })).headers.get("allow")).toBe("POST");
});
