import { chosenAccounts, type Declared, withAuth } from "#domain/accounts.ts";
import { ACCOUNT_ERROR } from "#domain/alerts.ts";
import type { Issue } from "#domain/errors.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import type { Values } from "#domain/props.ts";

/** The credentials of an account for a component of its owner, JSON text, and their expiry. */
export type Granted =
  | { ok: true; auth: string; staleAtMs: number }
  /** The reason for missing credentials: a clause that follows the name of a prop. */
  | { ok: false; reason: string };

/** The account with the credentials for a component of this owner. */
export type AccountOf = (id: Id<"account">) => {
  credentials(ownerId: OwnerId): Promise<Granted>;
  tokenAfter(ownerId: OwnerId, refused: string): Promise<string | null>;
};

/** Resolves to the replacement of an access token that a provider refused, or null. */
export type RenewToken = (refused: string) => Promise<string | null>;

/** Values with `$auth` in every app prop with an account, or the accounts without credentials. */
export type Authorised =
  | { ok: true; values: Values; staleAtMs: number }
  | { ok: false; issues: Issue[] };

/**
 * Add the credentials of the accounts in a component's props to its values. The result is only for its isolate: it is
 * never stored, shown or logged.
 */
export async function authorise(
  accountOf: AccountOf,
  ownerId: OwnerId,
  { props, values }: { props: readonly Declared[]; values: Values },
): Promise<Authorised> {
  const granted = new Map<string, string>();
  const issues: Issue[] = [];
  let staleAtMs = Number.POSITIVE_INFINITY;
  const grants = chosenAccounts(props, values).map(async ({ prop, accountId }) => {
    const grant = await accountOf(accountId).credentials(ownerId);
    if (grant.ok) granted.set(prop, grant.auth);
    else issues.push({ path: prop, message: grant.reason });
    if (grant.ok) staleAtMs = Math.min(staleAtMs, grant.staleAtMs);
  });
  await Promise.all(grants);
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, values: withAuth(values, granted), staleAtMs };
}

/** Provides a component with a new access token of an account in its props, but of no other account. */
export function tokenRenewal(
  accountOf: AccountOf,
  ownerId: OwnerId,
  { props, values }: { props: readonly Declared[]; values: Values },
): RenewToken {
  return async (refused) => {
    const ids = new Set(chosenAccounts(props, values).map(({ accountId }) => accountId));
    for (const id of ids) {
      const token = await accountOf(id).tokenAfter(ownerId, refused);
      if (token !== null) return token;
    }
    return null;
  };
}

/** The failure of a run because its accounts have no credentials. */
export function failureOf({ issues }: Extract<Authorised, { ok: false }>): Failure {
  const message = issues.map(({ path, message: reason }) => `${path}: ${reason}`).join("; ");
  return newFailure(ACCOUNT_ERROR, message);
}
