import type { Context, HonoRequest } from "hono";
import { createMiddleware } from "hono/factory";

import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, isId } from "#domain/ids.ts";
import { requireMember } from "#services/access.ts";
import { type KeyOwner, ownerOfKey } from "#services/keys.ts";
import { isAdminToken, mayReadMetrics } from "#services/sessions/identity.ts";
import type { User } from "#services/users.ts";

import { withinGuesses } from "./attempts.ts";
import type { AppEnv } from "./env.ts";
import { withinRate } from "./rate-limit.ts";
import { sessionOfRequest } from "./session-cookie.ts";

const METRICS_PATH = "/admin/metrics";

/** The caller, the caller's workspaces, and the hash of the key or session. */
type Authenticated = { user: User; workspaces: readonly Id<"workspace">[]; keyHash: string };

/**
 * Resolve `Authorization: Bearer <key>`, or the session of a browser, to the acting user, and open the context of the
 * request. A workspace in its path or its query string must be one of the user's (docs/contract.md: Common parameters).
 */
export const authenticate = createMiddleware<AppEnv>(async (c, next) => {
  const names = workspacesNamedIn(c.req);
  const header = c.req.header("Authorization");
  const found = await (header === undefined ? bySession(c) : byKey(c, bearerOf(header)));
  if (!found) throw new RequestError("unauthorized", "A valid API key is required");
  const { user: actor, workspaces, keyHash } = found;
  const workspace = workspaceOf(workspaces, names);
  c.set("context", { ...c.var.platform, actor, workspaces, keyHash, workspace });
  await next();
});

async function byKey(
  c: Context<AppEnv>,
  key: string | undefined,
): Promise<Authenticated | undefined> {
  if (key === undefined) return undefined;
  const keyHash = await sha256Hex(key);
  const owner = await withinRate(c, { keyHash, ownerOf: userOfKey }, () =>
    ownerOfKey(c.var.platform, keyHash),
  );
  return owner && { ...owner, keyHash };
}

function userOfKey({ user }: KeyOwner): string {
  return user.id;
}

async function bySession(c: Context<AppEnv>): Promise<Authenticated | undefined> {
  const signedIn = await sessionOfRequest(c);
  if (!signedIn?.user) return undefined;
  const { user, workspaces, session } = signedIn;
  return { user, workspaces, keyHash: session.hash };
}

/**
 * Check the workspace in a JSON body like one in the query string, even if the operation does not use it.
 */
export const admitWorkspaceOfBody = createMiddleware<AppEnv>(async (c, next) => {
  const { context, bodyWorkspace } = c.var;
  if (bodyWorkspace !== undefined) {
    const { path, named } = bodyWorkspace;
    if (!isWorkspaceId(named)) throw invalidWorkspace(RULE, path);
    await requireMember(context, named);
    const inPath = workspaceInPath(c.req);
    if (inPath !== undefined && inPath !== named)
      throw invalidWorkspace(`must be ${inPath}, as in the path`, path);
    c.set("context", { ...context, workspace: named });
  }
  await next();
});

/**
 * Admit only the operator, who sends `ADMIN_TOKEN`, or signed in with it; a scraper's token admits to the metrics. If none
 * is set, refuse everybody.
 */
export const authenticateOperator = createMiddleware<AppEnv>(async (c, next) => {
  const header = c.req.header("Authorization");
  const admits = c.req.path === METRICS_PATH ? mayReadMetrics : isAdminToken;
  const isOperator =
    header === undefined
      ? (await sessionOfRequest(c))?.isOperator
      : await withinGuesses(c, "admin_token", async () =>
          (await admits(c.var.platform, bearerOf(header) ?? "")) ? true : undefined,
        );
  if (!isOperator) throw new RequestError("unauthorized", "The admin token is required");
  await next();
});

/** The workspaces in a request: in its path, then in its query string. */
function workspacesNamedIn(request: HonoRequest): string[] {
  const inPath = workspaceInPath(request);
  const inQuery = request.query("workspace_id") || request.query("org_id");
  return [inPath, inQuery].flatMap((name) => name || []);
}

function workspaceInPath(request: HonoRequest): string | undefined {
  return /^\/v1\/workspaces\/(o_[^/]+)/.exec(request.path)?.[1];
}

function isWorkspaceId(value: unknown): value is Id<"workspace"> {
  return typeof value === "string" && isId("workspace", value);
}

function workspaceOf(
  workspaces: readonly Id<"workspace">[],
  [named, ...others]: string[],
): Id<"workspace"> | undefined {
  if (named === undefined) return undefined;
  if (!isId("workspace", named)) throw invalidWorkspace(RULE);
  if (!workspaces.includes(named)) throw notFound("workspace", named);
  if (others.some((other) => other !== named))
    throw invalidWorkspace(`must be ${named}, as in the path`);
  return named;
}

const RULE = "must be the id of a workspace, such as o_5d0";

function invalidWorkspace(message: string, path = "workspace_id"): RequestError {
  return invalidInput([{ path, message }]);
}

/** The token of an `Authorization: Bearer` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
}
