import { z } from "@hono/zod-openapi";

import type { Account } from "#services/accounts.ts";

import { idOf } from "./openapi.ts";

export const AccountBody = z
  .object({
    id: z.string(),
    owner_id: z.string(),
    app: z.string().openapi({ example: "github" }),
    name: z.string(),
    external_id: z.string().nullable().openapi({ description: "Who this is at the provider" }),
    healthy: z.boolean().openapi({ description: "Whether its access token could be refreshed" }),
    dead: z.boolean().openapi({
      description: "Whether the provider took the grant back: only connecting it again helps",
    }),
    error: z.string().nullable(),
    error_at: z.int().nullable(),
    expires_at: z.int().nullable().openapi({ description: "When the access token expires" }),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("Account");

export const AccountId = z.object({ id: idOf("account", "apn_5d0") });

/** Which accounts a list is to hold. */
export const AccountFilters = {
  app: z.string().min(1).optional(),
  external_id: z.string().min(1).optional(),
};

/** An account as anybody may see it: never its credentials. */
export function presentAccount(account: Account): z.input<typeof AccountBody> {
  return {
    id: account.id,
    owner_id: account.ownerId,
    app: account.app,
    name: account.name,
    external_id: account.externalId,
    healthy: account.error === null,
    dead: account.dead,
    error: account.error,
    error_at: account.errorAt,
    expires_at: account.expiresAt,
    created_at: account.createdAt,
    updated_at: account.updatedAt,
  };
}
