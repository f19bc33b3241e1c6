// @suites loader

import { expect, test } from "vitest";

import {
  allowed,
  atConsent,
  authorizationRequest,
  exchangeOf,
  REDIRECT,
  registered,
  sendForm,
  tokensBy,
} from "../support/agent-oauth.ts";
import { appProp, savedAction } from "../support/agents.ts";
import { ORIGIN, request, signUp } from "../support/client.ts";
import { accountOf, newBrowser, newCustomer } from "../support/connect.ts";
import { agentOf } from "../support/mcp.ts";

test("a client that a console user authorizes acts as that user alone", async () => {
  const { ada, back, tokens } = await allowed(["read", "act"]);
  expect(back?.origin + (back?.pathname ?? "")).toBe(REDIRECT);
  expect(back?.searchParams.get("state")).toBe("xyz");
  expect(back?.searchParams.get("iss")).toBe(ORIGIN);
  expect(tokens).toMatchObject({
    access_token: expect.stringMatching(/^wsag_/),
    refresh_token: expect.stringMatching(/^wsag_/),
    token_type: "Bearer",
    expires_in: 3600,
    scope: "read act",
  });
  const key = await savedAction({ ada }, { code: `return "ran";` });
  const agent = agentOf(tokens.access_token);
  const ran = await agent.call("run", { action: key });
  expect(ran.structuredContent.untrusted_content).toMatchObject({ ret: "ran" });
  const bob = await savedAction({ ada: await signUp() }, { code: `return 1;` });
  expect((await agent.call("run", { action: bob })).isError).toBe(true);
  // It is valid for no other endpoint.
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  for (const path of ["/v1/users/me", "/v1/connect/projects"])
    expect((await request("GET", path, { headers })).status).toBe(401);
  expect((await agentOf(tokens.refresh_token).send("server/discover")).status).toBe(401);
});

test("an external user authorizes a client with a connect token", async () => {
  const customer = await newCustomer();
  const account = await accountOf(customer, "one");
  const { token } = await newBrowser(customer, "one");
  const clientId = await registered();
  const fields = await authorizationRequest(clientId, { connect_token: token });
  const page = await sendForm("consent", fields);
  expect(page.text).toContain("a user of Shop");
  const { back } = await sendForm("decision", { ...fields, decision: "allow", kind: "act" });
  const code = back?.searchParams.get("code") ?? "";
  const { body } = await tokensBy(exchangeOf(clientId, code));
  expect(body.scope).toBe("act");
  const key = await savedAction(customer, {
    props: appProp("github"),
    code: `return [this.github.$auth.api_key];`,
  });
  const ran = await agentOf(body.access_token).call("run", {
    action: key,
    args: { github: account },
  });
  expect(ran.structuredContent.untrusted_content).toMatchObject({ ret: ["sk_ada"] });
  for (const limits of [{ app_id: "github" }, { scope: "connect:accounts:read" }]) {
    const limited = await newBrowser(customer, "one", limits);
    const { status, text } = await sendForm("consent", { ...fields, connect_token: limited.token });
    expect([status, text]).toEqual([400, expect.stringContaining("is limited to")]);
  }
  await customer.server.delete("/users/one");
  expect((await agentOf(body.access_token).send("server/discover")).status).toBe(401);
});

test("rejects a token without the required scope, and names the scope", async () => {
  const { ada, tokens } = await allowed(["read"]);
  const key = await savedAction({ ada }, { code: `return 1;` });
  const agent = agentOf(tokens.access_token);
  expect((await agent.call("describe", { action: key })).status).toBe(200);
  for (const [name, args] of [
    ["run", { action: key }],
    ["execute", { code: "return 1" }],
    ["connect", { app: "github" }],
    ["describe", { action: key, prop: "x" }],
  ] as const) {
    const { status, headers, body } = await agent.send("tools/call", { name, arguments: args });
    expect([name, status]).toEqual([name, 403]);
    expect(headers.get("www-authenticate")).toContain(
      `error="insufficient_scope", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp", scope="act"`,
    );
    expect(body.error.message).toBe('The token lacks the scope "act"');
  }
});

test("a code is exchanged once, by its client, with its verifier, in time", async () => {
  const { clientId, code, tokens } = await allowed(["read"]);
  const again = await tokensBy(exchangeOf(clientId, code));
  expect(again).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  // A code that is presented twice may be stolen: its tokens are revoked.
  expect((await agentOf(tokens.access_token).send("server/discover")).status).toBe(401);

  const { cookie, clientId: other, fields } = await atConsent();
  const form = { ...fields, decision: "allow", kind: "read" };
  const codeOf = async () => {
    const { back } = await sendForm("decision", form, { cookie });
    return back?.searchParams.get("code") ?? "";
  };
  for (const wrong of [
    { code_verifier: "w".repeat(64) },
    { client_id: clientId },
    { redirect_uri: `${REDIRECT}/other` },
    { resource: "https://other.example.com/mcp" },
    { grant_type: "password" },
  ])
    expect((await tokensBy(exchangeOf(other, await codeOf(), wrong))).status).toBe(400);
  expect((await tokensBy(exchangeOf(other, await codeOf()))).status).toBe(200);
});

test("a refresh token returns new tokens once, and a second use revokes all", async () => {
  const { clientId, tokens } = await allowed(["read"]);
  const refresh = (refresh_token: string, client_id = clientId) =>
    tokensBy({ grant_type: "refresh_token", refresh_token, client_id });
  expect((await refresh(tokens.refresh_token, "wsc_other")).status).toBe(400);
  const { body: next } = await refresh(tokens.refresh_token);
  expect((await agentOf(next.access_token).send("server/discover")).status).toBe(200);
  expect((await refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
  for (const token of [tokens.access_token, next.access_token])
    expect((await agentOf(token).send("server/discover")).status).toBe(401);
  expect((await refresh(next.refresh_token)).status).toBe(400);
});

test("a client revokes all its tokens with any of them", async () => {
  const { tokens } = await allowed(["read"]);
  const revoked = await request("POST", "/oauth/revoke", {
    body: new URLSearchParams({ token: tokens.refresh_token }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect(revoked.status).toBe(200);
  expect((await agentOf(tokens.access_token).send("server/discover")).status).toBe(401);
});

test("the granted scopes are never more than the requested ones, and may be fewer", async () => {
  const { ada, tokens } = await allowed(["read", "act", "subscribe"], { apps: "github, slack" });
  expect(tokens.scope).toBe("read act app:github app:slack");
  const [inside, outside] = [
    await savedAction({ ada }, { props: appProp("github"), code: `return 1;` }),
    await savedAction({ ada }, { props: appProp("stripe"), code: `return 1;` }),
  ];
  const none = await savedAction({ ada }, { code: `return 1;` });
  const agent = agentOf(tokens.access_token);
  expect((await agent.call("describe", { action: inside })).status).toBe(200);
  for (const action of [outside, none])
    expect((await agent.call("describe", { action })).content?.[0].text ?? "refused").toMatch(
      /refused|certain apps/,
    );
});

test("a project's owner authorizes a client for one of its users", async () => {
  const { ada, cookie, clientId, fields } = await atConsent();
  const { body: project } = await ada.post("/connect/projects", { name: "Shop" });
  const form = { ...fields, decision: "allow", kind: "read", environment: "development" };
  const named = { ...form, project: project.id, external_user: "one" };
  const { back } = await sendForm("decision", named, { cookie });
  const { body } = await tokensBy(exchangeOf(clientId, back?.searchParams.get("code") ?? ""));
  expect((await agentOf(body.access_token).send("server/discover")).status).toBe(200);
  const others = { ...named, project: (await newCustomer()).project };
  expect((await sendForm("decision", others, { cookie })).status).toBe(400);
  await ada.delete(`/connect/projects/${project.id}`);
  expect((await agentOf(body.access_token).send("server/discover")).status).toBe(401);
});

test("rejects a decision from another site's page, and one without the session's token", async () => {
  const { cookie, fields } = await atConsent();
  const form = { ...fields, decision: "allow", kind: "read" };
  for (const headers of [
    { origin: "https://evil.example.com" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ] as Record<string, string>[]) {
    const { status, back } = await sendForm("decision", form, { cookie, ...headers });
    expect([status, back]).toEqual([400, undefined]);
  }
  const forged = { ...form, csrf: "0".repeat(64) };
  expect((await sendForm("decision", forged, { cookie })).back).toBeUndefined();
  expect((await sendForm("decision", form)).text).toContain("Sign in first");
  const page = await sendForm("consent", fields, { cookie });
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
});

test("a denial redirects to the client without a code", async () => {
  const { cookie, fields } = await atConsent();
  const { back } = await sendForm("decision", { ...fields, decision: "deny" }, { cookie });
  expect(back?.searchParams.get("error")).toBe("access_denied");
  expect(back?.searchParams.get("state")).toBe("xyz");
  expect(back?.searchParams.get("code")).toBeNull();
});

test.for([
  [{ redirect_uri: "https://evil.example.com/cb" }, "redirect_uri"],
  [{ client_id: "wsc_forged" }, "client_id"],
  [{ client_id: "http://client.example.com/c.json" }, "client_id"],
] as const)("does not redirect a browser for %j", async ([wrong, field]) => {
  const { page } = await atConsent(wrong);
  expect([page.status, page.back]).toEqual([400, undefined]);
  expect(page.text).toContain(`${field}: `);
});

test.for([
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ code_challenge: "" }, "invalid_request"],
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ resource: "https://other.example.com/mcp" }, "invalid_target"],
  [{ scope: "read admin" }, "invalid_scope"],
  [{ scope: "app:slack" }, "invalid_scope"],
] as const)("redirects to the client with an error for %j", async ([wrong, error]) => {
  const { page } = await atConsent(wrong);
  expect(page.back?.searchParams.get("error")).toBe(error);
});
