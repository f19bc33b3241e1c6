import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { allows, type Environment, ENVIRONMENTS } from "#domain/connect.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, isId } from "#domain/ids.ts";
import { callerOf } from "#services/connect/callers.ts";
import { type Caller, enterProject, rateOwnerOf } from "#services/connect/context.ts";

import { bearerOf } from "../authenticate.ts";
import type { AppEnv } from "../env.ts";
import { withinRate } from "../rate-limit.ts";
import { sessionOfRequest } from "../session-cookie.ts";

/** Proxy responses come from the target: a browser must not render them on this origin with its cookie. */
const PROXY = /^\/v1\/connect\/[^/]+\/proxy(?:\/|$)/;

/**
 * Resolve `Authorization: Bearer` to the caller: an API key's user, an OAuth client's program, or an external user's
 * browser; without one, the session of a browser to its user.
 */
export const authenticateCaller = createMiddleware<AppEnv>(async (c, next) => {
  const header = c.req.header("Authorization");
  const found = await (header === undefined ? bySession(c) : byToken(c, bearerOf(header)));
  if (!found)
    throw new RequestError(
      "unauthorized",
      "A valid access token, connect token or API key is required",
    );
  admitOrigin(found.caller, c.req.header("Origin"));
  c.set("connect", { ...c.var.platform, ...found });
  await next();
});

type Authenticated = { caller: Caller; keyHash: string };

async function byToken(
  c: Context<AppEnv>,
  token: string | undefined,
): Promise<Authenticated | undefined> {
  if (token === undefined) return undefined;
  const keyHash = await sha256Hex(token);
  const caller = await withinRate(c, { keyHash, ownerOf: rateOwnerOf }, () =>
    callerOf(c.var.platform, token, keyHash),
  );
  return caller && { caller, keyHash };
}

async function bySession(c: Context<AppEnv>): Promise<Authenticated | undefined> {
  if (PROXY.test(c.req.path)) return undefined;
  const signedIn = await sessionOfRequest(c);
  if (!signedIn?.user) return undefined;
  return { caller: { kind: "user", user: signedIn.user }, keyHash: signedIn.session.hash };
}

/** Enter the project of the path, or of the connect token, in the environment of `x-pd-environment`. */
export const admitToProject = createMiddleware<AppEnv>(async (c, next) => {
  const id = c.req.param("project");
  const isNamed = id !== undefined && id !== PROJECT_OF_TOKEN;
  if (isNamed && !isProjectId(id)) throw new RequestError("not_found", `No project with id ${id}`);
  const environment = environmentOf(c.req.header("x-pd-environment"));
  c.set("project", await enterProject(c.var.connect, isNamed ? id : undefined, environment));
  await next();
});

/** Check the scopes of an access token or a connect token. API keys are not limited by scopes. */
export function inScope(kind: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const verb = c.req.method === "GET" || c.req.method === "HEAD" ? "read" : "write";
    const { caller } = c.var.connect;
    if (!allows(scopeOf(caller), kind, verb))
      throw new RequestError("forbidden", `The token lacks the scope connect:${kind}:${verb}`);
    await next();
  });
}

function scopeOf(caller: Caller): string {
  if (caller.kind === "client") return caller.scope;
  return (caller.kind === "browser" && caller.bearer.token.scope) || "*";
}

/** Refuse browsers: they may only read components and accounts, and connect, configure, run and deploy. */
export const refuseBrowsers = createMiddleware<AppEnv>(async (c, next) => {
  if (c.var.connect.caller.kind === "browser")
    throw new RequestError("forbidden", "A connect token does not open this");
  await next();
});

/** The path segment for the project of the caller's connect token. */
export const PROJECT_OF_TOKEN = "proj_";

/** If a token names origins, no page of another origin may use it. */
function admitOrigin(caller: Caller, origin: string | undefined): void {
  if (caller.kind !== "browser" || origin === undefined) return;
  const { allowedOrigins } = caller.bearer.token;
  if (allowedOrigins.length > 0 && !allowedOrigins.includes(origin))
    throw new RequestError("forbidden", `The token is not for pages of ${origin}`);
}

/** The environment in a header; undefined: there is none. */
export function environmentOf(header: string | undefined): Environment | undefined {
  if (header === undefined || header === "") return undefined;
  const environment = ENVIRONMENTS.find((name) => name === header);
  if (environment) return environment;
  const message = `must be ${ENVIRONMENTS.join(" or ")}`;
  throw invalidInput([{ path: "x-pd-environment", message }]);
}

function isProjectId(id: string): id is Id<"project"> {
  return isId("project", id);
}
