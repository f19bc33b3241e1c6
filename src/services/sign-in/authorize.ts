import { insertBySignIn, renewBySignIn } from "#db/sign-in.ts";
import type { Id } from "#domain/ids.ts";

import { checkAccountUsesSoon } from "../account-checks.ts";
import { type Account, newAccountRow, sealedCredentials } from "../accounts.ts";
import {
  type Callback,
  exchangeCode,
  type Granted,
  requestAuthorization,
  type Secrets,
} from "../connect/authorization.ts";
import { problemsOf, valuesOf } from "../connect/connect-account.ts";
import type { AppContext } from "../context.ts";
import { EXPIRED, openSignInLink, type SignInLink } from "./links.ts";

/** The result of a sign-in. `token`: of the link that began it. */
export type SignedIn = { token: string } & (
  | { ok: true; accountId: Id<"account">; link: SignInLink }
  | { ok: false; refusal: string; link?: SignInLink }
);

/** Begin to sign in at a provider. Returns the URL to send the browser to, or the errors of the fields. */
export async function beginSignIn(
  ctx: AppContext,
  link: SignInLink,
  { browser, typed }: { browser: string; typed: Map<string, string> },
): Promise<{ url: string } | { problems: Map<string, string> }> {
  const { app, token, user, ownerId, account, signIn } = link;
  const problems = problemsOf(app, typed);
  if (problems.size > 0) return { problems };
  const url = await requestAuthorization(ctx, signIn, {
    actorId: user,
    ownerId,
    tokenHash: null,
    app: app.slug,
    accountId: account?.id ?? null,
    secrets: { token, query: {}, isPopup: false, browser, fields: valuesOf(app, typed) },
  });
  return { url };
}

/** Store the account of a sign-in that a browser returns from, and use up its link, in one transaction. */
export async function endSignIn(
  ctx: AppContext,
  { secrets }: { secrets: Secrets },
  callback: Callback,
): Promise<SignedIn> {
  const { token } = secrets;
  const link = await openSignInLink(ctx, token, { isReturn: true });
  if ("refusal" in link) return { ok: false, token, ...link };
  const exchanged = await exchangeCode(ctx, { ...link, secrets }, callback);
  if (!exchanged.ok) return { ok: false, token, link, refusal: exchanged.refusal };
  const credentials = { ...secrets.fields, ...exchanged.granted.credentials };
  const granted = { ...exchanged.granted, credentials };
  const account = link.account
    ? await renewed(ctx, link, { granted, account: link.account })
    : await made(ctx, link, granted);
  if (account) return { ok: true, token, accountId: account.id, link };
  // The link or account changed during the request to the provider.
  const now = await openSignInLink(ctx, token, { isReturn: true });
  return { ok: false, token, refusal: "refusal" in now ? now.refusal : EXPIRED };
}

async function made(
  ctx: AppContext,
  link: SignInLink,
  granted: Granted,
): Promise<Account | undefined> {
  const { app, ownerId, name = app.name } = link;
  const row = await newAccountRow(ctx, { ...granted, ownerId, app: app.slug, name });
  return insertBySignIn(ctx.db, link, row);
}

async function renewed(
  ctx: AppContext,
  link: SignInLink,
  { granted, account }: { granted: Granted; account: Account },
): Promise<Account | undefined> {
  const { externalId, scopes } = granted;
  const connected = await renewBySignIn(
    ctx.db,
    link,
    { id: account.id, ownerId: link.ownerId, at: ctx.now() },
    {
      ...(await sealedCredentials(ctx, account, granted)),
      ...(link.name !== undefined && { name: link.name }),
      ...(externalId !== undefined && { externalId }),
      oauthAppId: null,
      scopes: scopes ?? null,
    },
  );
  checkAccountUsesSoon(ctx);
  return connected;
}
