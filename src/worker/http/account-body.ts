import { z } from "@hono/zod-openapi";

import type { Account } from "#services/accounts.ts";

import { digits, idOf, JsonObject } from "./openapi.ts";

const MAX_CREDENTIALS_BYTES = 64 * 1024;

/** The slug of an app. */
export const App = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, "must be the slug of an app, such as github")
  .openapi({ example: "github" });

const Name = z.string().trim().min(1).max(256);
const ExternalId = z.string().min(1).max(256);

const Credentials = JsonObject.refine(
  (given) => new TextEncoder().encode(JSON.stringify(given)).length <= MAX_CREDENTIALS_BYTES,
  "must be at most 64 KB",
).openapi({
  type: "object",
  additionalProperties: true,
});

const ExpiresAt = digits(z.int().min(0));

/** The fields of a new account, without its owner. */
export const NewAccountFields = {
  app: App,
  name: Name,
  credentials: Credentials,
  external_id: ExternalId.nullish(),
  expires_at: ExpiresAt.nullish(),
};

/** The changeable fields of an account. Absent: unchanged. */
export const AccountChange = {
  name: Name.optional(),
  credentials: Credentials.optional(),
  external_id: ExternalId.nullable().optional(),
  expires_at: ExpiresAt.nullable().optional(),
};

export const AccountBody = z
  .object({
    id: z.string(),
    owner_id: z.string(),
    app: z.string().openapi({ example: "github" }),
    name: z.string(),
    external_id: z.string().nullable(),
    healthy: z.boolean(),
    dead: z.boolean(),
    error: z.string().nullable(),
    error_at: z.int().nullable(),
    expires_at: z.int().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("Account");

export const AccountId = z.object({ id: idOf("account", "apn_5d0") });

/** The filters of a list of accounts. */
export const AccountFilters = {
  app: z.string().min(1).optional(),
  external_id: z.string().min(1).optional(),
};

/** A part of the name, id or app of users' accounts. */
export const AccountSearch = { q: z.string().trim().max(200).optional() };

/** The public view of an account, without its credentials. */
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
