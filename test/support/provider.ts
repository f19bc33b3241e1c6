import { newToken } from "#domain/ids.ts";

import { operator } from "./client.ts";
import { tokens } from "./oauth.ts";
import type { Step } from "./receiver-server.ts";
import { newReceiver } from "./webhook.ts";

/** An app whose users sign in at a provider, with a scripted token server. */
export async function newProvider(...script: Step[]) {
  const server = await newReceiver(...script);
  const app = `shop_${newToken().toLowerCase()}`;
  await operator.put(`/apps/${app}`, {
    name: "Shop",
    fields: [],
    oauth: {
      authorize_url: "https://shop.example.com/authorize?prompt=consent",
      token_url: server.url,
      scopes: ["read", "write"],
    },
  });
  await operator.post("/oauth_apps", {
    app,
    token_url: server.url,
    client_id: "client",
    client_secret: "secret",
  });
  return { app, server };
}

/** The response of a token server that grants access. */
export const GRANTED = tokens({
  access_token: "token-1",
  refresh_token: "refresh-1",
  expires_in: 3600,
  scope: "read",
});

/** The provider's URL to which a page sends a browser. */
export function providerUrlIn(page: string): URL {
  const [, href = ""] = /href="(https:[^"]+authorize[^"]+)"/.exec(page) ?? [];
  return new URL(href.replaceAll("&amp;", "&"));
}
