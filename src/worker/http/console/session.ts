import { z } from "@hono/zod-openapi";
import type { Context } from "hono";

import { readInTime } from "#domain/body.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import {
  type Credentials,
  identify,
  type Identity,
  identityOfAccess,
} from "#services/sessions/identity.ts";
import {
  csrfTokenOf,
  endSession,
  openSession,
  sessionOf,
  type SignedIn,
} from "#services/sessions/sessions.ts";

import { admitAttempt, withinGuesses } from "../attempts.ts";
import type { AppEnv } from "../env.ts";
import { createRouter } from "../openapi.ts";
import { parseJsonBody } from "../params.ts";
import {
  clearSessionCookie,
  isFromOwnPage,
  sessionOfRequest,
  sessionSecretOf,
  setSessionCookie,
} from "../session-cookie.ts";

const MAX_BODY_BYTES = 16 * 1024;

/** The header in which Cloudflare Access identifies the user. */
const ASSERTION = "cf-access-jwt-assertion";

const SignIn = z.union([
  z.strictObject({ api_key: z.string() }),
  z.strictObject({ admin_token: z.string() }),
  z.strictObject({ link: z.string() }),
]);

/** The session of a browser at the console. */
export const consoleSession = createRouter();

consoleSession.get("/console/session", async (c) => {
  const signedIn = await sessionOfRequest(c);
  const asserted = await assertedBy(c, signedIn);
  if (asserted && asserted.user?.id !== signedIn?.user?.id)
    return start(c, asserted, await formerOf(c, signedIn));
  const secret = sessionSecretOf(c);
  if (signedIn && secret !== undefined) return sendSession(c, signedIn, secret);
  throw new RequestError("unauthorized", "There is no session, or it has ended: sign in");
});

consoleSession.post("/console/session", async (c) => {
  refuseOtherPages(c);
  await admitAttempt(c, "sign_in");
  const credentials = await credentialsIn(c.req.raw);
  const secret = credentials.kind === "admin_token" ? "admin_token" : "token";
  const identity = await withinGuesses(c, secret, () => identify(c.var.platform, credentials));
  if (!identity) throw new RequestError("unauthorized", REFUSED[credentials.kind]);
  const former = await formerSession(c);
  // The link may come from another person than the one who signed in before.
  if (credentials.kind !== "link") return start(c, identity, former);
  if (former) await endSession(c.var.platform, former.session.hash);
  return start(c, identity, undefined);
});

consoleSession.delete("/console/session", async (c) => {
  refuseOtherPages(c);
  const signedIn = await sessionOfRequest(c);
  if (signedIn) await endSession(c.var.platform, signedIn.session.hash);
  clearSessionCookie(c);
  return c.body(null, 204);
});

const REFUSED = {
  api_key: "api_key: is not a valid API key",
  admin_token: "admin_token: is not the admin token",
  link: "link: was used before, has expired, or was never valid",
} satisfies Record<Credentials["kind"], string>;

function refuseOtherPages(c: Context<AppEnv>): void {
  if (!isFromOwnPage(c))
    throw new RequestError(
      "csrf",
      `Only pages of ${c.var.platform.apiOrigin} can sign in or out: open the console there`,
    );
}

/** The identity that Cloudflare Access asserts; ignored if a key or a link signed a user in explicitly. */
async function assertedBy(
  c: Context<AppEnv>,
  signedIn: SignedIn | undefined,
): Promise<Identity | undefined> {
  const assertion = c.req.header(ASSERTION);
  if (assertion === undefined || !isFromOwnPage(c)) return undefined;
  if (signedIn?.user && !signedIn.session.isAsserted) return undefined;
  if (!signedIn) await admitAttempt(c, "sign_in");
  return identityOfAccess(c.var.platform, assertion);
}

async function formerSession(c: Context<AppEnv>): Promise<SignedIn | undefined> {
  const secret = sessionSecretOf(c);
  return secret === undefined ? undefined : sessionOf(c.var.platform, secret);
}

/** The session that the next one joins: an operator's. Another user's ends. */
async function formerOf(
  c: Context<AppEnv>,
  signedIn: SignedIn | undefined,
): Promise<SignedIn | undefined> {
  if (!signedIn?.user) return signedIn;
  await endSession(c.var.platform, signedIn.session.hash);
  return undefined;
}

async function start(
  c: Context<AppEnv>,
  identity: Identity,
  former: SignedIn | undefined,
): Promise<Response> {
  const userAgent = c.req.header("user-agent");
  const issued = await openSession(c.var.platform, identity, { former, userAgent });
  setSessionCookie(c, issued.secret, issued.session.expiresAt - c.var.platform.now());
  return sendSession(c, issued, issued.secret);
}

async function sendSession(
  c: Context<AppEnv>,
  { session, user, isOperator }: SignedIn,
  secret: string,
): Promise<Response> {
  const data = {
    id: session.id,
    user: user && { id: user.id, username: user.username, email: user.email },
    is_operator: isOperator,
    csrf_token: await csrfTokenOf(secret),
    expires_at: session.expiresAt,
    release: c.env.RELEASE,
  };
  return c.json({ data }, 200);
}

/** The credentials for a session: only in the body, because URLs are logged. */
async function credentialsIn(request: Request): Promise<Credentials> {
  const bytes = await readInTime(request, MAX_BODY_BYTES);
  if (bytes === "late")
    throw new RequestError("request_timeout", "The body must arrive within 30 seconds");
  if (!bytes) throw new RequestError("too_large", "The body may have at most 16 KB");
  const body = SignIn.safeParse(parseJsonBody(bytes));
  if (!body.success) {
    const message = "must have api_key, admin_token or link, one of them, as text";
    throw invalidInput([{ path: "body", message }]);
  }
  const { data } = body;
  if ("api_key" in data) return { kind: "api_key", key: data.api_key };
  if ("link" in data) return { kind: "link", secret: data.link };
  return { kind: "admin_token", token: data.admin_token };
}
