import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";

import { insertRefusal } from "#db/connect/connected-accounts.ts";
import { newToken } from "#domain/ids.ts";
import { isDead, openLink } from "#services/connect/link.ts";
import { notificationsOf } from "#services/connect/notify-connection.ts";
import { openContext } from "#worker/bindings.ts";

import { operator } from "./client.ts";
import { newBrowser, newCustomer } from "./connect.ts";
import { fillIn } from "./pages.ts";
import type { Received, Step } from "./receiver-server.ts";
import { newReceiver } from "./webhook.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;
export type Row = Record<"id" | "body" | "external_user_id", string> &
  Record<"attempts" | "next_attempt_at" | "created_at", number>;

export const PLATFORM = openContext(env);

/** Longer than a notification's lease. */
export const LEASE_ENDED = 61;

export async function newApp(more: object = {}): Promise<string> {
  const app = `shop_${newToken().toLowerCase()}`;
  const fields = [{ name: "api_key", label: "API key" }];
  await operator.put(`/apps/${app}`, { name: "Shop", auth_type: "keys", fields, ...more });
  return app;
}

/** A customer with a webhook for its environment, at a receiver with a script. */
export async function newListener(...script: Step[]) {
  const [customer, app] = [await newCustomer(), await newApp()];
  const { url, received, release } = await newReceiver(...script);
  const { body } = await customer.server.put("/webhook", { url });
  return {
    ...customer,
    customer,
    app,
    url,
    received,
    release,
    key: body.data.signing_key as string,
  };
}

/** Connect an account as the browser of a user does. Returns the token. */
export async function connectAccount(
  customer: Customer,
  app: string,
  more: object = {},
): Promise<string> {
  const { token } = await newBrowser(customer, "one", more);
  const { status } = await fillIn(`/connect/${token}?app=${app}`, { api_key: "key-1" });
  expect(status).toBe(200);
  return token;
}

export async function linkOf(customer: Customer, app: string, more: object = {}) {
  const { token } = await newBrowser(customer, "one", more);
  const link = await openLink(PLATFORM, token, { app });
  if (isDead(link)) throw new Error(link.refusal);
  return link;
}

/** Store notifications like a process that is killed before it sends them. */
export async function storeUnsent(customer: Customer, app: string): Promise<void> {
  const link = await linkOf(customer, app);
  const notifications = await notificationsOf(link, { ok: false, error: "Shop refuses." });
  await insertRefusal(PLATFORM.db, link.hash, notifications);
}

export async function rowsOf({ project }: { project: string }): Promise<Row[]> {
  const statement = env.DB.prepare("SELECT * FROM connect_notifications WHERE project_id = ?");
  return (await statement.bind(project).all<Row>()).results;
}

export const rowsLeft = (customer: { project: string }, count: number) =>
  vi.waitUntil(async () => (await rowsOf(customer)).length === count, { timeout: 15_000 });

/** The pending notification of a customer, once all first attempts have failed in the background. */
export async function failedOnce(customer: { project: string }): Promise<Row> {
  const failed = async () => {
    const rows = await rowsOf(customer);
    return rows.every(({ attempts }) => attempts === 1) && rows[0];
  };
  return vi.waitUntil(failed, { timeout: 15_000 });
}

export function only(received: Received[]): Received {
  const [first, ...more] = received;
  if (!first || more.length > 0) throw new Error(`${received.length} were received`);
  return first;
}

export const idsOf = (received: Received[]) => received.map(({ headers }) => headers["webhook-id"]);
