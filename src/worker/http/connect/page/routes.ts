import type { Context } from "hono";

import { takeAuthorization } from "#services/connect/authorization.ts";
import {
  type Authorized,
  beginAuthorization,
  endWithCallback,
} from "#services/connect/authorize.ts";
import { connectByKeys } from "#services/connect/connect-account.ts";
import { connectedBy, isDead } from "#services/connect/link.ts";
import { endSignIn } from "#services/sign-in/authorize.ts";

import type { AppEnv } from "../../env.ts";
import { handleError } from "../../errors.ts";
import { createRouter } from "../../openapi.ts";
import { browserOf, fieldsIn, nameBrowser } from "./browser.ts";
import { CONNECT_JS } from "./connect-js.ts";
import { type Door, doorOf, isFromHere, linkBehind, pageAt } from "./doors.ts";
import {
  nextOf,
  redirected,
  sendConnected,
  sendDeadEnd,
  sendForm,
  sendLeaving,
} from "./responses.ts";
import { sendSignedIn, signInPages } from "./sign-in.ts";

/**
 * The pages on which external users connect accounts. Their tokens are in their paths, of which logs contain only the
 * pattern.
 */
export const connectPages = createRouter();

connectPages.route("/", signInPages);

connectPages.get("/connect.js", (c) => {
  c.header("Cache-Control", "public, max-age=3600");
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  return c.body(CONNECT_JS, 200, { "content-type": "text/javascript; charset=utf-8" });
});

for (const path of ["/connect/:token", "/_static/connect.html"]) {
  connectPages.get(path, async (c) => {
    const door = doorOf(c);
    const link = await linkBehind(c, door);
    if (isDead(link)) return sendDeadEnd(c, { link, door }, { words: link.refusal });
    return sendForm(c, { link, door });
  });

  connectPages.post(path, async (c) => {
    const door = doorOf(c);
    if (!isFromHere(c)) return redirected(c, pageAt(door));
    const link = await linkBehind(c, door);
    if (isDead(link)) return sendDeadEnd(c, { link, door }, { words: link.refusal });
    if (link.signIn) return sendForm(c, { link, door });
    const typed = await fieldsIn(c.req.raw);
    const connection = await connectByKeys(link, typed);
    if (!connection.ok) return sendForm(c, { link, door }, { typed, refused: connection });
    const { accountId } = connection;
    return sendConnected(c, { link, door }, { accountId, next: nextOf(link, door) });
  });
}

connectPages.get("/connect/:token/status", async (c) => {
  c.header("Cache-Control", "no-store");
  const account = await connectedBy(c.var.platform, c.req.param("token"));
  return c.json({ account_id: account ?? null, ended: account === undefined });
});

connectPages.post("/connect/:token/authorize", async (c) => {
  const door = doorOf(c);
  if (!isFromHere(c)) return redirected(c, pageAt(door));
  const link = await linkBehind(c, door);
  if (isDead(link)) return sendDeadEnd(c, { link, door }, { words: link.refusal });
  const { signIn } = link;
  if (!signIn) return sendForm(c, { link, door });
  const typed = await fieldsIn(c.req.raw);
  const { isPopup } = door;
  const browser = nameBrowser(c);
  const begun = await beginAuthorization({ ...link, signIn }, { browser, isPopup, typed });
  if ("problems" in begun) return sendForm(c, { link, door }, { typed, refused: begun });
  return sendLeaving(c, { link, door }, begun.url);
});

connectPages.get("/connect/oauth/:client/callback", async (c) => {
  const callback = {
    client: c.req.param("client"),
    state: c.req.query("state") ?? "",
    code: c.req.query("code"),
    error: c.req.query("error"),
    query: c.req.query(),
    browser: browserOf(c),
  };
  const taken = await takeAuthorization(c.var.platform, callback);
  if ("refusal" in taken) return sendRefused(c, { ok: false, ...taken }, NOWHERE);
  if (taken.tokenHash === null)
    return sendSignedIn(c, await endSignIn(c.var.platform, taken, callback));
  const authorized = await endWithCallback(c.var.platform, taken, callback);
  const door: Door = { ...NOWHERE, ...authorized.back };
  if (!authorized.ok) return sendRefused(c, authorized, door);
  const next = nextOf(authorized.link, door);
  if (next !== undefined) return redirected(c, next);
  return sendConnected(c, { link: authorized.link, door }, { ...authorized, next });
});

connectPages.onError(async (error, c) => {
  const response = await handleError(error, c);
  const body: { error: string } = await response.json();
  const page = await sendDeadEnd(
    c,
    { link: undefined, door: doorOf(c) },
    { words: `${body.error}.` },
  );
  return new Response(page.body, { status: response.status, headers: page.headers });
});

/** A browser without a known state. */
const NOWHERE: Door = { token: "", query: {}, isFramed: false, isPopup: false, hidesClose: false };

type NotAuthorized = Extract<Authorized, { ok: false }>;

/** An authorization failed: redirect to the customer, or offer another attempt. */
async function sendRefused(
  c: Context<AppEnv>,
  { link, back, refusal }: NotAuthorized,
  door: Door,
): Promise<Response> {
  const elsewhere = door.isPopup ? undefined : link?.bearer?.token.errorRedirectUri;
  if (elsewhere) return redirected(c, elsewhere);
  const retry = back && pageAt(door);
  return sendDeadEnd(c, { link, door }, { words: refusal, retry });
}
