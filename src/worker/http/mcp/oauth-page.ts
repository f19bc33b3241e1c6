import type { Context } from "hono";

import { AGENT_KINDS, type Grants, scopeOf } from "#domain/agent-grants.ts";
import type { AgentClient } from "#domain/agent-tokens.ts";
import { readInTime } from "#domain/body.ts";
import { RequestError } from "#domain/errors.ts";
import { areEqual } from "#domain/hash.ts";
import type { OwnerId } from "#domain/ids.ts";
import { authorizeAgent } from "#services/agents/authorize.ts";
import { agentClient } from "#services/agents/clients.ts";
import { openConnectToken } from "#services/connect/tokens.ts";
import { csrfTokenOf, sessionOf } from "#services/sessions/sessions.ts";
import type { User } from "#services/users.ts";

import { type Page, sendPage } from "../connect/page/layout.ts";
import type { AppEnv } from "../env.ts";
import { createRouter } from "../openapi.ts";
import { isFromOwnPage, sessionSecretOf } from "../session-cookie.ts";
import { grantsAllowed, ownerIn } from "./oauth-decision.ts";
import {
  answerUrl,
  parseRequest,
  type AuthorizationRequest,
  problemOfRedirect,
  requestIn,
} from "./oauth-request.ts";
import * as views from "./oauth-views.ts";

const MAX_FORM_BYTES = 64 * 1024;
const PAGE = { title: "Let an agent act for you", namesOrigin: true };

/**
 * The pages on which a user authorizes a client. The session counts from the second page on: other sites link to the
 * first.
 */
export const authorizePages = createRouter();

authorizePages.get("/oauth/authorize", (c) => {
  const request = requestIn(new URL(c.req.url).searchParams);
  if ("problem" in request) return refused(c, request.problem);
  return sendPage(c, { ...PAGE, main: views.beginView(request.carried) });
});

authorizePages.post("/oauth/authorize/consent", async (c) => {
  const opened = await openRequest(c);
  if ("page" in opened) return sendPage(c, opened.page);
  return sendPage(c, { ...PAGE, main: consentOf(opened) });
});

authorizePages.post("/oauth/authorize/decision", async (c) => {
  const opened = await openRequest(c);
  if ("page" in opened) return sendPage(c, opened.page);
  const { fields, request, decider } = opened;
  if (decider.csrf !== undefined && !(await areEqual(fields.get("csrf") ?? "", decider.csrf)))
    return refused(c, "This page belongs to another session: start again.");
  if (fields.get("decision") !== "allow")
    return sendBack(c, request, { error: "access_denied", error_description: "It was denied" });
  try {
    return sendBack(c, request, { code: await codeFor(c, opened) });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return sendPage(c, { ...PAGE, main: consentOf(opened, error.message), status: 400 });
  }
});

/** The decider: a user by the session of a browser, or an external user by a connect token. */
type Decider = { owner: OwnerId; user: User | undefined; name: string; csrf: string | undefined };

type Opened = {
  fields: URLSearchParams;
  request: AuthorizationRequest;
  decider: Decider;
  client: AgentClient;
  grants: Grants;
  codeChallenge: string;
};

/** Read a form of these pages: the user, the decision and the client; or a page to show instead. */
async function openRequest(c: Context<AppEnv>): Promise<Opened | { page: Page }> {
  const fields = await formOf(c);
  if (!fields) return problemPage("Open this page from the program that you use.");
  const request = requestIn(fields);
  if ("problem" in request) return problemPage(request.problem);
  const decider = await deciderOf(c, request);
  if (typeof decider === "string") return problemPage(decider);
  if (!decider) return { page: { ...PAGE, main: views.signInFirstView(request.carried) } };
  const client = await agentClient(c.var.platform, decider.owner, request.clientId);
  if ("problem" in client) return problemPage(client.problem);
  const problem = problemOfRedirect(client, request.redirectUri);
  if (problem !== undefined) return problemPage(problem);
  const requested = parseRequest(c, request);
  if ("error" in requested) {
    const { error, description: error_description } = requested;
    return { page: backPage(c, request, { error, error_description }) };
  }
  return { fields, request, decider, client, ...requested };
}

/** The fields of a form that a page of the platform sent. */
async function formOf(c: Context<AppEnv>): Promise<URLSearchParams | undefined> {
  const bytes = isFromOwnPage(c) ? await readInTime(c.req.raw, MAX_FORM_BYTES) : undefined;
  return bytes instanceof Uint8Array
    ? new URLSearchParams(new TextDecoder().decode(bytes))
    : undefined;
}

async function deciderOf(
  c: Context<AppEnv>,
  { carried }: AuthorizationRequest,
): Promise<Decider | string | undefined> {
  const { connect_token: given } = carried;
  if (given === undefined) return deciderBySession(c);
  const token = /ctok_[A-Za-z\d]+/.exec(given)?.[0] ?? "";
  const bearer = await openConnectToken(c.var.platform, token);
  if (!bearer) return "This token has expired, or was never valid. Get another one.";
  const { externalUser, project } = bearer;
  if (isLimited(bearer.token))
    return "This token is limited to one app, or to parts of the API: get one without limits.";
  const name = `a user of ${project.appName ?? project.name}`;
  return { owner: externalUser.id, user: undefined, name, csrf: undefined };
}

/** Whether a connect token grants less than its user's full access: no agent gets more by it. */
function isLimited({ scope, app }: { scope: string | null; app: string | null }): boolean {
  return scope !== null || app !== null;
}

async function deciderBySession(c: Context<AppEnv>): Promise<Decider | undefined> {
  const secret = sessionSecretOf(c);
  if (secret === undefined) return undefined;
  const user = (await sessionOf(c.var.platform, secret))?.user;
  if (!user) return undefined;
  return { owner: user.id, user, name: user.email, csrf: await csrfTokenOf(secret) };
}

function consentOf({ request, decider, client, grants }: Opened, problem?: string) {
  const { csrf } = decider;
  return views.consentView({
    carried: { ...request.carried, ...(csrf !== undefined && { csrf }) },
    client: client.name,
    target: targetOf(request),
    kinds: AGENT_KINDS.filter((kind) => grants.kinds.has(kind)),
    narrowed: [...(grants.apps ?? []), ...(grants.accounts ?? [])],
    decider: decider.name,
    mayChoose: decider.user !== undefined,
    problem,
  });
}

async function codeFor(c: Context<AppEnv>, opened: Opened): Promise<string> {
  const { decider, client, request, codeChallenge, fields, grants } = opened;
  return authorizeAgent(c.var.platform, {
    owner: await ownerIn(c, fields, decider),
    userId: decider.user?.id ?? null,
    client,
    scope: scopeOf(grantsAllowed(fields, grants)),
    terms: { redirectUri: request.redirectUri, codeChallenge },
  });
}

type RedirectParams = Record<string, string>;

function sendBack(c: Context<AppEnv>, request: AuthorizationRequest, answer: RedirectParams) {
  return sendPage(c, backPage(c, request, answer));
}

function backPage(c: Context<AppEnv>, request: AuthorizationRequest, answer: RedirectParams): Page {
  const next = answerUrl(request, c.var.platform.apiOrigin, answer);
  return { ...PAGE, main: views.goingBackView(targetOf(request)), next };
}

function targetOf({ redirectUri }: AuthorizationRequest): string {
  const { host, protocol } = new URL(redirectUri);
  return host || protocol;
}

function refused(c: Context<AppEnv>, problem: string) {
  return sendPage(c, problemPage(problem).page);
}

function problemPage(problem: string): { page: Page } {
  return { page: { ...PAGE, main: views.refusedView(problem), status: 400 } };
}
