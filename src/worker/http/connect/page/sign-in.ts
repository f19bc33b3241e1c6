import type { Context } from "hono";

import { sha256Hex } from "#domain/hash.ts";
import { beginSignIn, type SignedIn } from "#services/sign-in/authorize.ts";
import { EXPIRED, openSignInLink, type SignInLink } from "#services/sign-in/links.ts";

import type { AppEnv } from "../../env.ts";
import { createRouter } from "../../openapi.ts";
import { withinRate } from "../../rate-limit.ts";
import { fieldsIn, nameBrowser } from "./browser.ts";
import { isFromHere } from "./doors.ts";
import { sendPage } from "./layout.ts";
import { fieldsOf, redirected } from "./responses.ts";
import { connectedView, deadEndView, leavingView, type Parties, signInView } from "./views.ts";

/**
 * The pages on which users of the v1 API sign in at a provider. Opening one changes nothing: previews of links open
 * them, too.
 */
export const signInPages = createRouter();

signInPages.get("/connect/sign-in/:token", async (c) => {
  const link = await linkBehind(c);
  return "refusal" in link ? sendDeadEnd(c, link.refusal) : sendForm(c, link);
});

signInPages.post("/connect/sign-in/:token", async (c) => {
  if (!isFromHere(c)) return redirected(c, pageOf(c.req.param("token")));
  const link = await linkBehind(c);
  if ("refusal" in link) return sendDeadEnd(c, link.refusal);
  const typed = await fieldsIn(c.req.raw);
  const begun = await beginSignIn(c.var.platform, link, { browser: nameBrowser(c), typed });
  if ("problems" in begun) return sendForm(c, link, { typed, ...begun });
  const { name } = link.app;
  const main = leavingView({ app: name }, begun.url);
  return sendPage(c, { title: `On to ${name}`, main, next: begun.url });
});

/** The page with the result of a sign-in, or the redirect to the link's target. */
export async function sendSignedIn(c: Context<AppEnv>, signedIn: SignedIn): Promise<Response> {
  const { link, token } = signedIn;
  if (!signedIn.ok) return sendDeadEnd(c, signedIn.refusal, link && pageOf(token));
  const { accountId } = signedIn;
  const parties = partiesOf(signedIn.link);
  const { redirectUri } = signedIn.link;
  if (redirectUri !== null) return redirected(c, withAccount(redirectUri, accountId));
  return sendPage(c, { title: `${parties.app} is connected`, main: connectedView(parties) });
}

/** The link of a token. Refuses requests over the rate limit; tokens that were never valid are not counted. */
async function linkBehind(
  c: Context<AppEnv, "/connect/sign-in/:token">,
): Promise<SignInLink | { refusal: string }> {
  const token = c.req.param("token");
  const keyHash = await sha256Hex(token);
  // A link that was used names no owner any more.
  const ownerOf = (link: SignInLink | { refusal: string }) =>
    "ownerId" in link ? link.ownerId : keyHash;
  const found = await withinRate(c, { keyHash, ownerOf }, async () => {
    const link = await openSignInLink(c.var.platform, token);
    return "refusal" in link && link.refusal === EXPIRED ? undefined : link;
  });
  return found ?? { refusal: EXPIRED };
}

function sendForm(
  c: Context<AppEnv>,
  link: SignInLink,
  {
    typed = new Map(),
    problems,
  }: { typed?: Map<string, string>; problems?: Map<string, string> } = {},
): Promise<Response> {
  const parties = partiesOf(link);
  const fields = fieldsOf(link.app, typed, problems ?? new Map());
  const action = pageOf(link.token);
  return sendPage(c, {
    title: `Connect ${parties.app} to ${parties.product}`,
    status: problems === undefined ? 200 : 422,
    main: signInView(parties, { action, fields, problem: undefined, isFramed: false }),
  });
}

function sendDeadEnd(c: Context<AppEnv>, words: string, retry?: string): Promise<Response> {
  const heading = "Nothing was connected";
  return sendPage(c, {
    title: heading,
    status: retry === undefined ? 404 : 409,
    main: deadEndView({ heading, words, retry, next: undefined, support: null }),
  });
}

/** The page names the owner of the account, so that users see who gets access. */
function partiesOf({ app, owner }: SignInLink): Parties {
  return {
    product: owner,
    productLogo: null,
    support: null,
    app: app.name,
    appLogo: app.imgSrc.startsWith("data:image/") ? app.imgSrc : null,
  };
}

function pageOf(token: string): string {
  return `/connect/sign-in/${encodeURIComponent(token)}`;
}

function withAccount(redirectUri: string, accountId: string): string {
  const url = new URL(redirectUri);
  url.searchParams.set("account_id", accountId);
  return url.href;
}
