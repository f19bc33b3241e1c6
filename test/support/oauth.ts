import { env } from "cloudflare:workers";

import { type Id, newToken } from "#domain/ids.ts";

import { newAccount } from "./accounts.ts";
import { operator, signUp } from "./client.ts";
import type { Step } from "./receiver-server.ts";
import { newReceiver } from "./webhook.ts";

export const HOUR = 3600;
export const now = (): number => Math.floor(Date.now() / 1000);

/** A response of a token server. */
export const tokens = (fields: Record<string, unknown>, afterMs = 0): Step => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(fields),
  afterMs,
});

export const OLD = { oauth_access_token: "old", oauth_refresh_token: "refresh-1", oauth_uid: "7" };

type Options = { expiresAt?: number; authentication?: "body" | "basic" };

/** An app with a separate token server, and an account of it. */
export async function connected(
  script: Step[],
  { expiresAt, authentication = "body" }: Options = {},
) {
  const ada = await signUp();
  const server = await newReceiver(...script);
  const app = `calendar_${newToken().toLowerCase()}`;
  await operator.post("/oauth_apps", {
    app,
    token_url: server.url,
    client_id: "client id",
    client_secret: "client/secret",
    client_authentication: authentication,
  });
  const id = (await newAccount(ada.user.id, {
    app,
    credentials: OLD,
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  })) as Id<"account">;
  const stub = env.ACCOUNTS.getByName(id);
  const auth = async () => {
    const granted = await stub.credentials(ada.user.id);
    if (!granted.ok) return granted.reason;
    return JSON.parse(granted.auth) as Record<string, string>;
  };
  const shown = async () => (await ada.get(`/accounts/${id}`)).body.data;
  return { ada, app, id, stub, server, auth, shown };
}
