import { expect, inject, test } from "vitest";

import { authorizationRequest, REDIRECT, sendForm } from "../support/agent-oauth.ts";
import { ORIGIN, request, signUp } from "../support/client.ts";
import { signIn } from "../support/console.ts";

test("clients discover the authorization server and its methods", async () => {
  const { body: resource } = await request("GET", "/.well-known/oauth-protected-resource/mcp");
  expect(resource).toMatchObject({
    resource: `${ORIGIN}/mcp`,
    authorization_servers: [ORIGIN],
    scopes_supported: ["read", "act", "subscribe"],
  });
  expect((await request("GET", "/.well-known/oauth-protected-resource")).body).toEqual(resource);
  const { body: server } = await request("GET", "/.well-known/oauth-authorization-server");
  expect(server).toMatchObject({
    issuer: ORIGIN,
    authorization_endpoint: `${ORIGIN}/oauth/authorize`,
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  });
});

test.for([
  { redirect_uris: ["javascript:alert(1)"] },
  { redirect_uris: ["http://example.com/cb"] },
  { redirect_uris: ["https://user:pass@example.com/cb"] },
  { redirect_uris: [] },
  { redirect_uris: undefined },
  { client_name: 5 },
])("rejects the registration of a client with %j", async (metadata) => {
  const { status, body } = await request("POST", "/oauth/register", {
    body: { client_name: "Robot", redirect_uris: [REDIRECT], ...metadata },
  });
  expect(status).toBe(400);
  expect(body.error).toBe("invalid_client_metadata");
});

test("a client is identified by its metadata document, which must contain its own URL", async () => {
  const ada = await signUp();
  const { cookie = "" } = await signIn({ api_key: ada.user.api_key });
  const at = async (path: string) =>
    sendForm("consent", await authorizationRequest(`${inject("httpServer")}/${path}`), { cookie });
  const page = await at("client-document/robot");
  expect(page.text).toContain("Let robot act for you?");
  expect((await at("client-document/posing")).text).toContain("its document names another");
  expect((await at("status/404")).text).toContain("its document responded with 404");
  expect((await at("redirect/302")).text).toContain("its document responded with 302");
  expect((await at("large")).text).toContain("too large");
  expect((await at("json")).text).toContain("redirect_uris: must be a list");
});
