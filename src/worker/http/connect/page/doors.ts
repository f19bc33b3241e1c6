import type { Context } from "hono";

import { sha256Hex } from "#domain/hash.ts";
import {
  type DeadLink,
  EXPIRED,
  type Link,
  type LinkQuery,
  openLink,
} from "#services/connect/link.ts";

import type { AppEnv } from "../../env.ts";
import { withinRate } from "../../rate-limit.ts";

/** The entry to the page: the token, the app, and whether it is a dialog over a page of the customer's product. */
export type Door = {
  token: string;
  query: LinkQuery;
  isFramed: boolean;
  /** Whether this is the provider's window, which was opened from such a page. */
  isPopup: boolean;
  hidesClose: boolean;
};

/**
 * The door of a request. A page over the customer's has its token in the query, where the browser's part of the SDK
 * sends it.
 */
export function doorOf(c: Context<AppEnv>): Door {
  const token = c.req.param("token");
  return {
    token: token ?? c.req.query("token") ?? "",
    query: queryOf(c),
    isFramed: token === undefined,
    isPopup: c.req.query("popup") === "true",
    hidesClose: c.req.query("hideClose") === "true",
  };
}

function queryOf(c: Context<AppEnv>): LinkQuery {
  const named = (name: string) => c.req.query(name) || undefined;
  return {
    app: named("app"),
    oauthAppId: named("oauthAppId"),
    appOverrideId: named("appOverrideId"),
    accountId: named("accountId"),
    scopeProfile: named("oauthScopeProfile"),
    customOauthClient: named("customOauthClient") === "true" || undefined,
  };
}

/** The path of the page of a door. */
export function pageAt({ token, query, isFramed, isPopup, hidesClose }: Door): string {
  const params = paramsOf(query);
  if (isPopup) params.set("popup", "true");
  if (hidesClose) params.set("hideClose", "true");
  if (!isFramed) return `/connect/${encodeURIComponent(token)}?${params.toString()}`;
  params.set("token", token);
  return `/_static/connect.html?${params.toString()}`;
}

/** The path from a door to the provider; from a page over the customer's, in a window of its own. */
export function authorizeAt({ token, query, isFramed, isPopup }: Door): string {
  const params = paramsOf(query);
  if (isFramed || isPopup) params.set("popup", "true");
  return `/connect/${encodeURIComponent(token)}/authorize?${params.toString()}`;
}

/** The link of a token. Refuses requests over the rate limit; tokens that were never valid are not counted. */
export async function linkBehind(c: Context<AppEnv>, door: Door): Promise<Link | DeadLink> {
  const { token, query } = door;
  const keyHash = await sha256Hex(token);
  const ownerOf = ({ bearer }: Link | DeadLink) => bearer?.project.id ?? keyHash;
  const found = await withinRate(c, { keyHash, ownerOf }, async () => {
    const link = await openLink(c.var.platform, token, query);
    return link.bearer && link;
  });
  return found ?? { refusal: EXPIRED };
}

/**
 * Whether a page of the platform sent the browser here. A page of another site must not send users to a provider, or
 * connect an account, with its own token. Browsers from before 2023 do not send the header, and are admitted.
 */
export function isFromHere(c: Context<AppEnv>): boolean {
  const site = c.req.header("sec-fetch-site");
  return site === undefined || site === "same-origin";
}

function paramsOf({ scopeProfile, customOauthClient, ...same }: LinkQuery) {
  const named = {
    ...same,
    oauthScopeProfile: scopeProfile,
    customOauthClient: customOauthClient ? "true" : undefined,
  };
  const given = Object.entries(named).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new URLSearchParams(given);
}
