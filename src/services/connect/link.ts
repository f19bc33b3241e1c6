import type { Bearer } from "#db/connect/connect-tokens.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, isId } from "#domain/ids.ts";

import { type Account, getAccount } from "../accounts.ts";
import type { AppContext, Context } from "../context.ts";
import { connectable, type Connectable, type Named } from "./connectable.ts";
import { contextOf, type ProjectContext } from "./context.ts";
import { openConnectToken } from "./tokens.ts";

export type { Bearer } from "#db/connect/connect-tokens.ts";

/** The parameters of a link to the connect page, without its token. */
export type LinkQuery = {
  app?: string | undefined;
  oauthAppId?: string | undefined;
  appOverrideId?: string | undefined;
  /** The account to reconnect. */
  accountId?: string | undefined;
  scopeProfile?: string | undefined;
  /** Whether the user signs in by an own client at the provider. */
  customOauthClient?: boolean | undefined;
};

/** A connect token with the app to connect, and its user. */
export type Link = Connectable & {
  token: string;
  hash: string;
  bearer: Bearer;
  query: LinkQuery;
  /** The external user, the future owner of the account. */
  user: Context;
  account: Account | undefined;
};

/**
 * The reason why a link is invalid, in a sentence for the external user. `bearer`: the grant of its token, if valid.
 */
export type DeadLink = { refusal: string; bearer?: Bearer; isUsed?: boolean };

/** Whether a link is invalid. */
export function isDead(link: Link | DeadLink): link is DeadLink {
  return "refusal" in link;
}

/** The subject of a link, or the reason why it is invalid. Reading it changes nothing. */
export async function openLink(
  ctx: AppContext,
  token: string,
  query: LinkQuery,
): Promise<Link | DeadLink> {
  const bearer = await openConnectToken(ctx, token);
  if (!bearer) return { refusal: EXPIRED };
  if (bearer.token.accountId !== null) return { refusal: USED, bearer, isUsed: true };
  const hash = await sha256Hex(token);
  const project = asBrowser(ctx, { bearer, hash });
  const user = await contextOf(project, bearer.externalUser);
  const named = namedIn(bearer, query);
  if ("refusal" in named) return { ...named, bearer };
  const found = await connectable(project, named);
  if ("refusal" in found) return { ...found, bearer };
  const account = await accountIn(user, found.app.slug, query.accountId);
  if (account === "none") return { refusal: NO_ACCOUNT, bearer };
  return { ...found, token, hash, bearer, query, user, account };
}

/** The account that a token has connected; null: none yet. Undefined: the token is unknown or has expired. */
export async function connectedBy(
  ctx: Pick<AppContext, "db" | "now">,
  token: string,
): Promise<Id<"account"> | null | undefined> {
  const bearer = await openConnectToken(ctx, token);
  return bearer?.token.accountId;
}

/** The name of a project as its users see it. */
export function productOf({ project }: Pick<Bearer, "project">): string {
  return project.appName ?? project.name;
}

/** The reason why a link with an unknown token is invalid. */
export const EXPIRED =
  "This link has expired, or was never valid. Go back to where you came from and start again.";
const USED = "This link has connected an account already. Each link connects one account.";
const NO_ACCOUNT = "The account to connect again does not exist any more.";

function asBrowser(
  ctx: AppContext,
  { bearer, hash }: { bearer: Bearer; hash: string },
): ProjectContext {
  const { project, externalUser } = bearer;
  const caller = { kind: "browser", bearer } as const;
  return { ...ctx, keyHash: hash, caller, project, environment: externalUser.environment };
}

/** The token's app and account take precedence; a link can only add missing ones. */
function namedIn({ token }: Bearer, query: LinkQuery): Named | DeadLink {
  const slug = query.app ?? token.app ?? "";
  if (slug === "") return { refusal: "This link names no app to connect." };
  if (!leavesOpen(token.app, slug))
    return { refusal: `This link is for ${token.app}, not for ${slug}.` };
  const client = clientIn(token, query);
  if (!leavesOpen(token.oauthAppId, client.oauthAppId))
    return { refusal: "This link is for another OAuth app." };
  return { slug, ...client, overrideId: query.appOverrideId, scopeProfile: query.scopeProfile };
}

function clientIn(
  token: Bearer["token"],
  { oauthAppId: named, customOauthClient: bringsClient = false }: LinkQuery,
): Pick<Named, "bringsClient" | "oauthAppId"> {
  const oauthAppId = bringsClient ? undefined : (named ?? token.oauthAppId ?? undefined);
  return { oauthAppId, bringsClient };
}

function leavesOpen(own: string | null, named: string | undefined): boolean {
  return own === null || own === named;
}

/** The account of this user that a link names. */
async function accountIn(
  user: Context,
  app: string,
  id: string | undefined,
): Promise<Account | "none" | undefined> {
  if (id === undefined) return undefined;
  const account = isId("account", id)
    ? await getAccount(user, id).catch(() => undefined)
    : undefined;
  return account?.ownerId === user.actor.id && account.app === app ? account : "none";
}
