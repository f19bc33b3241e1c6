import { exports } from "cloudflare:workers";
import { inject } from "vitest";

import { operator, ORIGIN } from "./client.ts";
import { accountOf, newCustomer } from "./connect.ts";

export const upstream = inject("httpServer");
export const host = new URL(upstream).host;

export type Customer = Awaited<ReturnType<typeof newCustomer>>;
export type Sent = {
  method?: string;
  user?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
};

/** An app with the operator's description of its requests. Returns its slug. */
export async function newApp(request: object, more: object = {}): Promise<string> {
  const slug = `app_${crypto.randomUUID().slice(0, 8)}`;
  const { status, body } = await operator.put(`/apps/${slug}`, { request, ...more });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return slug;
}

export const KEYED = { base_url: upstream, headers: { "x-api-key": "{{api_key}}" } };

/** A customer whose user `one` has an account of an app. */
export async function connected(request: object = KEYED, credentials: object = { api_key: "k-1" }) {
  const customer = await newCustomer();
  const app = await newApp(request);
  const account = await accountOf(customer, "one", { app, credentials: credentials as never });
  return { customer, app, account };
}

export const base64 = (url: string) => encodeURIComponent(btoa(url));

/** Send a request through the proxy, and read the response as text. */
export async function proxied(
  { token, project }: Pick<Customer, "token" | "project">,
  account: string,
  url: string,
  { method = "GET", user = "one", headers = {}, body }: Sent = {},
) {
  const query = new URLSearchParams({ external_user_id: user, account_id: account });
  const response = await exports.default.fetch(
    `${ORIGIN}/v1/connect/${project}/proxy/${base64(url)}?${query.toString()}`,
    {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
    },
  );
  const { status } = response;
  return { status, headers: response.headers, text: await response.text() };
}
