import type { Id } from "#domain/ids.ts";

import type { AppContext } from "../context.ts";
import {
  type Callback,
  type EndedAuthorization,
  exchangeCode,
  requestAuthorization,
  type Secrets,
  UNKNOWN_STATE,
} from "./authorization.ts";
import { completed, type OwnSignIn, type SignIn } from "./clients.ts";
import { type Connection, problemsOf, saveConnection, valuesOf } from "./connect-account.ts";
import { type DeadLink, isDead, type Link, openLink } from "./link.ts";
import { notifyRefusal } from "./notify-connection.ts";

/** The result of an authorization, with the link that began it. */
export type Authorized = { back?: Pick<Secrets, "isPopup" | "query" | "token"> } & (
  | { ok: true; accountId: Id<"account">; link: Link }
  | { ok: false; refusal: string; link?: Link | DeadLink }
);

/** Begin to connect an account at a provider. Returns the URL to send the browser to, or the errors of the fields. */
export async function beginAuthorization(
  link: Link & { signIn: OwnSignIn | SignIn },
  { browser, isPopup, typed }: { browser: string; isPopup: boolean; typed: Map<string, string> },
): Promise<{ url: string } | { problems: Map<string, string> }> {
  const problems = problemsOf({ ...link.app, fields: link.fields }, typed);
  if (problems.size > 0) return { problems };
  const { app, hash, token, query, user, account } = link;
  const fields = valuesOf(link, typed);
  const url = await requestAuthorization(user, completed(link.signIn, fields), {
    actorId: user.actor.id,
    ownerId: user.actor.id,
    tokenHash: hash,
    app: app.slug,
    accountId: account?.id ?? null,
    secrets: { token, query, isPopup, browser, fields },
  });
  return { url };
}

/** Store the account of an authorization that a browser returns from. */
export async function endWithCallback(
  ctx: AppContext,
  { secrets }: Pick<EndedAuthorization, "secrets">,
  callback: Callback,
): Promise<Authorized> {
  const { token, query, isPopup } = secrets;
  const back = { token, query, isPopup };
  const link = await openLink(ctx, token, query);
  if (isDead(link)) return { ok: false, refusal: link.refusal, link, back };
  const connection = await connectByCode(link, secrets, callback);
  if (connection.ok) return { ok: true, accountId: connection.accountId, link, back };
  return { ok: false, refusal: connection.refusal ?? UNKNOWN_STATE, link, back };
}

async function connectByCode(
  link: Link,
  secrets: Secrets,
  callback: Callback,
): Promise<Connection> {
  const { app, preset, user, bearer } = link;
  const signIn = link.signIn && completed(link.signIn, secrets.fields);
  const mayGrantLess = bearer.token.allowProgressiveScopes !== false;
  const exchanged = await exchangeCode(user, { app, signIn, secrets, mayGrantLess }, callback);
  if (!exchanged.ok) {
    await notifyRefusal(link, exchanged.refusal);
    return { ok: false, problems: new Map(), refusal: exchanged.refusal };
  }
  const { credentials, ...granted } = exchanged.granted;
  const known = { ...secrets.fields, ...preset };
  return saveConnection(link, { credentials: { ...known, ...credentials }, ...granted });
}
