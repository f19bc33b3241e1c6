import { z } from "@hono/zod-openapi";

import type { App } from "#domain/apps.ts";
import type { Account } from "#services/accounts.ts";
import { credentialsOf } from "#services/connect/accounts.ts";
import { appsFor } from "#services/connect/apps.ts";
import type { ProjectContext } from "#services/connect/context.ts";
import { externalIdsOf } from "#services/connect/external-users.ts";

import { AppBody, presentApp } from "../app-body.ts";
import { isoTime } from "./responses.ts";

/** An account as the Connect API shows it. */
export const ConnectedAccountBody = z
  .object({
    id: z.string(),
    name: z.string(),
    external_id: z.string().optional(),
    external_user_id: z.string().optional(),
    healthy: z.boolean(),
    dead: z.boolean(),
    app: AppBody,
    created_at: z.string(),
    updated_at: z.string(),
    authorized_scopes: z.array(z.string()).optional(),
    credentials: z.record(z.string(), z.any()).optional(),
    expires_at: z.string().optional(),
    error: z.string().optional(),
    last_refreshed_at: z.string().optional(),
    next_refresh_at: z.string().optional(),
  })
  .openapi("ConnectedAccount");

type Body = z.input<typeof ConnectedAccountBody>;

/** An account for customers; `isFull`: with its credentials, if the operator allows reading them. */
export async function presentOne(
  ctx: ProjectContext,
  account: Account,
  isFull?: boolean,
): Promise<Body> {
  const [body] = await presentAll(ctx, [account], isFull);
  if (!body) throw new Error(`${account.id} was not presented`);
  return body;
}

/** Like `presentOne`. */
export async function presentAll(
  ctx: ProjectContext,
  accounts: readonly Account[],
  isFull = false,
): Promise<Body[]> {
  const [apps, users] = await Promise.all([
    appsFor(ctx, [...new Set(accounts.map(({ app }) => app))]),
    externalIdsOf(
      ctx,
      accounts.map(({ ownerId }) => ownerId),
    ),
  ]);
  const bySlug = new Map(apps.map((app) => [app.slug, app]));
  const maySee = isFull && ctx.showsCredentials && ctx.caller.kind !== "browser";
  return Promise.all(
    accounts.map(async (account) => {
      const app = bySlug.get(account.app);
      if (!app) throw new Error(`${account.app} was not looked up`);
      const credentials = maySee ? await credentialsOf(ctx, account) : undefined;
      const user = users.get(account.ownerId);
      return {
        ...present(account, app),
        ...(user !== undefined && { external_user_id: user }),
        ...(credentials && { credentials }),
      };
    }),
  );
}

function present(account: Account, app: App): Body {
  const { externalId, expiresAt, refreshAt, refreshedAt, scopes, error } = account;
  return {
    id: account.id,
    name: account.name,
    healthy: error === null && !account.dead,
    dead: account.dead,
    app: presentApp(app),
    created_at: isoTime(account.createdAt),
    updated_at: isoTime(account.updatedAt),
    ...(externalId !== null && { external_id: externalId }),
    ...(scopes !== null && { authorized_scopes: scopes }),
    ...(expiresAt !== null && { expires_at: isoTime(expiresAt) }),
    ...(error !== null && { error }),
    ...(refreshedAt !== null && { last_refreshed_at: isoTime(refreshedAt) }),
    ...(refreshAt !== null && { next_refresh_at: isoTime(refreshAt) }),
  };
}
