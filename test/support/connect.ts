import { env } from "cloudflare:workers";

import { createAccount, type NewAccount } from "#services/accounts.ts";
import { openContext } from "#worker/bindings.ts";

import { clientOf, request, signUp } from "./client.ts";

/** A customer: a user of the v1 API with a project, and an OAuth client with access to all of the user's projects. */
export async function newCustomer() {
  const ada = await signUp();
  const { body: project } = await ada.post("/connect/projects", { name: "Shop" });
  const { body: created } = await ada.post("/connect/oauth_clients", { name: "Server" });
  const { client_id: clientId, client_secret: clientSecret } = created.data;
  const token = await accessTokenOf({ clientId, clientSecret });
  const base = `/v1/connect/${project.id}`;
  return {
    ada,
    project: project.id as string,
    clientId: clientId as string,
    clientSecret: clientSecret as string,
    /** Calls the project as a program of the customer's. */
    server: clientOf(token, base),
    /** Calls all of the Connect API as that program. */
    connect: clientOf(token, "/v1/connect"),
    token,
  };
}

/** An access token for client credentials. */
export async function accessTokenOf({
  clientId,
  clientSecret,
  scope,
}: {
  clientId: string;
  clientSecret: string;
  scope?: string;
}): Promise<string> {
  const { body } = await request("POST", "/v1/oauth/token", {
    body: {
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope !== undefined && { scope }),
    },
  });
  return body.access_token;
}

/** A connect token of an external user, and the client of the user's browser. */
export async function newBrowser(
  { server }: Awaited<ReturnType<typeof newCustomer>>,
  externalId: string,
  more: object = {},
) {
  const { body } = await server.post("/tokens", { external_user_id: externalId, ...more });
  return { token: body.token as string, link: body, ...clientOf(body.token, "/v1/connect") };
}

/** Connect an account for an external user. Returns its id. */
export async function accountOf(
  customer: Awaited<ReturnType<typeof newCustomer>>,
  externalId: string,
  given: Partial<NewAccount> = {},
): Promise<string> {
  const { server } = customer;
  await server.post("/tokens", { external_user_id: externalId });
  const { body } = await server.get(`/users?q=${encodeURIComponent(externalId)}`);
  const { id: ownerId } = body.data[0];
  const credentials = { api_key: "sk_ada" };
  const account = { ownerId, app: "github", name: "Ada", credentials, ...given };
  return (await createAccount(openContext(env), account)).id;
}
