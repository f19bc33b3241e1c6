import {
  type AccountScope,
  pageOfProjectAccounts,
  projectAccount,
  type ProjectAccountFilter,
  projectAccountsToDelete,
} from "#db/connect/project-accounts.ts";
import type { Credentials } from "#domain/accounts.ts";
import { invalidInput, notFound } from "#domain/errors.ts";
import { type Id, isId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { checkAccountUsesSoon } from "../account-checks.ts";
import { ACCOUNTS_AT_ONCE, revokeAndDelete } from "../account-deletions.ts";
import type { Account } from "../accounts.ts";
import { connectByKeys } from "./connect-account.ts";
import { asKnownUser, externalUserIdOf, type ProjectContext } from "./context.ts";
import { isDead, type Link, openLink } from "./link.ts";

/** An account to connect by the API: with a connect token, like on the page. */
export type AccountByToken = {
  token: string;
  app: string;
  /** The values of the app's fields by name. */
  values: ReadonlyMap<string, string>;
  name?: string | undefined;
  accountId?: string | undefined;
  oauthAppId?: string | undefined;
  overrideId?: string | undefined;
  externalUserId?: string | undefined;
};

/**
 * The accounts of an external user, newest first; of all users if a server names none. Empty for an unknown external
 * user.
 */
export async function listProjectAccounts(
  ctx: ProjectContext,
  externalId: string | undefined,
  request: PageRequest & ProjectAccountFilter,
): Promise<Page<Account>> {
  const scope = await scopeOf(ctx, externalId);
  return scope ? pageOfProjectAccounts(ctx.db, scope, request) : { items: [], totalCount: 0 };
}

/** Maximum accounts of one user in a list without pages. */
const MAX_LISTED = 1000;

/** All accounts of an external user, newest first. */
export async function listAllAccounts(
  ctx: ProjectContext,
  externalId: string,
  app: string | undefined,
): Promise<Account[]> {
  const all: Account[] = [];
  let after: number | undefined;
  do {
    const request = { limit: 100, after, before: undefined, app };
    const { items } = await listProjectAccounts(ctx, externalId, request);
    all.push(...items);
    after = items.length < 100 ? undefined : items.at(-1)?.seq;
  } while (after !== undefined && all.length < MAX_LISTED);
  return all;
}

/** An account of an external user of this environment; for a browser, of its user. */
export async function getProjectAccount(ctx: ProjectContext, id: Id<"account">): Promise<Account> {
  const scope = await scopeOf(ctx, undefined);
  const account = scope && (await projectAccount(ctx.db, scope, id));
  if (!account) throw notFound("account", id);
  return account;
}

/** Delete an account. Runs of triggers that use it fail from then on, with the reason. */
export async function deleteProjectAccount(ctx: ProjectContext, id: Id<"account">): Promise<void> {
  const account = await getProjectAccount(ctx, id);
  if (!(await revokeAndDelete(ctx, [account]))) throw notFound("account", id);
  checkAccountUsesSoon(ctx);
}

/** Delete all accounts of an app; for a browser, those of its user. A retry continues after a failure. */
export async function deleteAccountsOfApp(ctx: ProjectContext, app: string): Promise<void> {
  const scope = await scopeOf(ctx, undefined);
  if (scope) await deleteByTurns(ctx, scope, app);
  checkAccountUsesSoon(ctx);
}

/** Delete all accounts of an app, some at a time. */
async function deleteByTurns(ctx: ProjectContext, scope: AccountScope, app: string): Promise<void> {
  for (;;) {
    const leaving = await projectAccountsToDelete(ctx.db, scope, { app, limit: ACCOUNTS_AT_ONCE });
    await revokeAndDelete(ctx, leaving);
    if (leaving.length < ACCOUNTS_AT_ONCE) return;
  }
}

/** Connect an account by its keys, like the connect page. This uses up the token. */
export async function connectByToken(
  ctx: ProjectContext,
  { token, app, values, name, externalUserId, ...more }: AccountByToken,
): Promise<Account> {
  const { accountId, oauthAppId, overrideId: appOverrideId } = more;
  const link = await openLink(ctx, token, { app, accountId, oauthAppId, appOverrideId });
  if (isDead(link)) throw refused("connect_token", link.refusal);
  checkPlace(ctx, link, externalUserId);
  const unknown = [...values.keys()].filter(
    (field) => !link.app.fields.some((known) => known.name === field),
  );
  if (unknown.length > 0)
    throw invalidInput(
      unknown.map((field) => ({
        path: `cfmap_json.${field}`,
        message: `is not a field of ${link.app.slug}`,
      })),
    );
  if (link.signIn)
    throw refused("app_slug", `accounts of ${link.app.slug} are connected by signing in there`);
  const connection = await connectByKeys(link, values, name);
  if (connection.ok) return getProjectAccount(ctx, connection.accountId);
  if (connection.refusal !== undefined) throw refused("cfmap_json", connection.refusal);
  const problems = [...connection.problems];
  throw invalidInput(
    problems.map(([field, message]) => ({ path: `cfmap_json.${field}`, message })),
  );
}

/** The credentials of an account, as components see them. Undefined: none are available now. */
export async function credentialsOf(
  { accounts }: Pick<ProjectContext, "accounts">,
  { id, ownerId }: Pick<Account, "id" | "ownerId">,
): Promise<Credentials | undefined> {
  const granted = await accounts(id).credentials(ownerId);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the account's object wrote it.
  return granted.ok ? (JSON.parse(granted.auth) as Credentials) : undefined;
}

function checkPlace(ctx: ProjectContext, { bearer }: Link, externalId: string | undefined): void {
  const { project, externalUser } = bearer;
  const isHere = project.id === ctx.project.id && externalUser.environment === ctx.environment;
  if (!isHere) throw refused("connect_token", "is for another project or environment");
  const { caller } = ctx;
  const wanted = caller.kind === "browser" ? externalUserIdOf(ctx, externalId) : externalId;
  if (wanted !== undefined && wanted !== externalUser.externalId)
    throw refused("connect_token", "is for another external user");
}

function refused(path: string, message: string) {
  return invalidInput([{ path, message }]);
}

async function scopeOf(
  ctx: ProjectContext,
  externalId: string | undefined,
): Promise<AccountScope | undefined> {
  const { project, environment, caller } = ctx;
  const place = { project: project.id, environment };
  if (externalId === undefined && caller.kind !== "browser") return place;
  const user = await asKnownUser(ctx, externalId);
  const id = user?.actor.id;
  return id !== undefined && isId("external_user", id) ? { ...place, user: id } : undefined;
}
