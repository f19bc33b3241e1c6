import * as store from "#db/accounts.ts";
import { ownerExists } from "#db/owners.ts";
import {
  type ChosenAccount,
  chosenAccounts,
  type Credentials,
  refreshAtOf,
} from "#domain/accounts.ts";
import type { PropDefinition } from "#domain/definition.ts";
import { invalidInput, type Issue, notFound } from "#domain/errors.ts";
import { type Id, newId, type OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import type { Values } from "#domain/props.ts";
import { authorise } from "#sandbox/accounts.ts";
import { keyIdOf } from "#vault/envelope.ts";

import { requireMember } from "./access.ts";
import { type CheckContext, checkAccountUsesSoon } from "./account-checks.ts";
import { type DeletionContext, revokeAndDelete } from "./account-deletions.ts";
import type { AppContext, Context } from "./context.ts";

export type { Account } from "#db/accounts.ts";

export type NewAccount = {
  ownerId: OwnerId;
  app: string;
  name: string;
  credentials: Credentials;
  externalId?: string | undefined;
  /** The expiry of the access token among the credentials, epoch seconds. */
  expiresAt?: number | undefined;
  /** The project's own client at the provider, by which it was connected. */
  oauthAppId?: Id<"oauth_app"> | undefined;
  /** The granted scopes. */
  scopes?: string[] | undefined;
};

/** Absent: unchanged. New credentials replace all old ones. */
export type AccountInput = {
  name?: NewAccount["name"] | undefined;
  credentials?: NewAccount["credentials"] | undefined;
  externalId?: string | null | undefined;
  expiresAt?: number | null | undefined;
};

/** Props with their configured values. */
type ResolvedProps = { props: readonly PropDefinition[]; values: Values };

/** Connect an account for a user or a workspace. The credentials are stored sealed and never returned. */
export async function createAccount(
  ctx: Pick<AppContext, "db" | "now" | "vault">,
  input: NewAccount,
): Promise<store.Account> {
  if (!(await ownerExists(ctx.db, input.ownerId)))
    throw invalidInput([{ path: "owner_id", message: "there is no such user or workspace" }]);
  return store.insertAccount(ctx.db, await newAccountRow(ctx, input));
}

/** A new account as it is stored: its credentials are sealed. */
export async function newAccountRow(
  ctx: Pick<AppContext, "now" | "vault">,
  input: NewAccount,
): Promise<Omit<store.Account, "seq">> {
  const { ownerId, app, name, externalId, credentials, expiresAt, oauthAppId, scopes } = input;
  const id = newId("account");
  const at = ctx.now();
  return {
    id,
    ownerId,
    app,
    name,
    externalId: externalId ?? null,
    ...(await sealedCredentials(ctx, { id, ownerId }, { credentials, expiresAt })),
    version: 1,
    error: null,
    errorAt: null,
    dead: false,
    refreshedAt: null,
    oauthAppId: oauthAppId ?? null,
    scopes: scopes ?? null,
    createdAt: at,
    updatedAt: at,
  };
}

/** Any account, for the operator. */
export async function readAccount(
  ctx: Pick<AppContext, "db">,
  id: Id<"account">,
): Promise<store.Account> {
  const account = await store.accountById(ctx.db, id);
  if (!account) throw notFound("account", id);
  return account;
}

/** Rename an account or replace its credentials; components get the new ones within seconds. */
export async function updateAccount(
  ctx: CheckContext & Pick<AppContext, "now" | "vault">,
  id: Id<"account">,
  { name, externalId, credentials, expiresAt }: AccountInput,
): Promise<store.Account> {
  const account = await readAccount(ctx, id);
  if (credentials === undefined && expiresAt !== undefined)
    throw invalidInput([{ path: "expires_at", message: "comes with credentials only" }]);
  const updated = await store.updateAccount(
    ctx.db,
    { id, at: ctx.now() },
    {
      ...(name !== undefined && { name }),
      ...(externalId !== undefined && { externalId }),
      ...(credentials && (await sealedCredentials(ctx, account, { credentials, expiresAt }))),
    },
  );
  if (!updated) throw notFound("account", id);
  checkAccountUsesSoon(ctx);
  return updated;
}

/**
 * Delete an account, whose grant is revoked at its provider. Owners of emitters that use it are alerted, and their runs
 * fail from then on with that reason.
 */
export async function deleteAccount(
  ctx: CheckContext & DeletionContext,
  id: Id<"account">,
): Promise<void> {
  const account = await readAccount(ctx, id);
  if (!(await revokeAndDelete(ctx, [account]))) throw notFound("account", id);
  checkAccountUsesSoon(ctx);
}

export function listAllAccounts(
  ctx: Pick<AppContext, "db">,
  filter: store.AccountFilter,
  request: PageRequest,
): Promise<Page<store.Account>> {
  return store.pageOfAccounts(ctx.db, filter, request);
}

/** An account of the actor's, or of a workspace that the actor belongs to. */
export async function getAccount(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"account">,
): Promise<store.Account> {
  const account = await store.accountById(ctx.db, id, ctx.actor.id);
  if (!account) throw notFound("account", id);
  return account;
}

/** The accounts that the actor owns in person. */
export function listAccounts(
  ctx: Pick<Context, "actor" | "db">,
  filter: Omit<store.AccountFilter, "owner">,
  request: PageRequest,
): Promise<Page<store.Account>> {
  return store.pageOfAccounts(ctx.db, { ...filter, owner: ctx.actor.id }, request);
}

export async function listWorkspaceAccounts(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  { workspace, ...filter }: Omit<store.AccountFilter, "owner"> & { workspace: Id<"workspace"> },
  request: PageRequest,
): Promise<Page<store.Account>> {
  await requireMember(ctx, workspace);
  return store.pageOfAccounts(ctx.db, { ...filter, owner: workspace }, request);
}

/**
 * Refuse a configuration with accounts that do not exist, belong to others, or are for another app. Accounts configured
 * earlier may have been deleted meanwhile: their source can still be changed, above all be deactivated.
 */
export async function checkAccounts(
  ctx: Pick<AppContext, "db">,
  owner: OwnerId,
  { props, values, given = values }: ResolvedProps & { given?: Values },
): Promise<void> {
  const chosen = chosenAccounts(props, values);
  if (chosen.length === 0) return;
  const ids = [...new Set(chosen.map(({ accountId }) => accountId))];
  const owned = await store.accountsOwnedBy(ctx.db, owner, ids);
  const apps = new Map(owned.map(({ id, app }) => [id, app]));
  const issues = chosen.flatMap((one) =>
    problemOf(one, apps.get(one.accountId), Object.hasOwn(given, one.prop)),
  );
  if (issues.length > 0) throw invalidInput(issues);
}

function problemOf(
  { prop, app: wanted }: ChosenAccount,
  app: string | undefined,
  isGiven: boolean,
): Issue[] {
  const path = `configured_props.${prop}.authProvisionId`;
  if (app === wanted || (app === undefined && !isGiven)) return [];
  const message =
    app === undefined
      ? "there is no such account that belongs to the owner of the component"
      : `must be an account for ${typeof wanted === "string" ? wanted : "the app of the prop"}, not for ${app}`;
  return [{ path, message }];
}

/** Values for the isolate of a component of the owner: with the credentials of its accounts. */
export async function withCredentials(
  ctx: Pick<AppContext, "accounts">,
  owner: OwnerId,
  { props, values }: ResolvedProps,
): Promise<Values> {
  const authorised = await authorise(ctx.accounts, owner, { props, values });
  if (authorised.ok) return authorised.values;
  throw invalidInput(
    authorised.issues.map(({ path, message }) => ({ path: `configured_props.${path}`, message })),
  );
}

/** New credentials of an account as they are stored, and the time of their refresh. */
export async function sealedCredentials(
  ctx: Pick<AppContext, "now" | "vault">,
  { id, ownerId }: Pick<store.Account, "id" | "ownerId">,
  { credentials, expiresAt = null }: Pick<AccountInput, "expiresAt"> & { credentials: Credentials },
) {
  const text = await ctx.vault.seal(JSON.stringify(credentials), ["account", id, ownerId]);
  const refreshAt = refreshAtOf(credentials, { expiresAt, now: ctx.now() });
  return { credentials: text, keyId: keyIdOf(text), expiresAt, refreshAt };
}
