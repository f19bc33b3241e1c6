import { invalidInput, RequestError } from "#domain/errors.ts";
import { isId } from "#domain/ids.ts";

import { knownApp } from "../connect/apps.ts";
import { issueConnectToken } from "../connect/tokens.ts";
import { createSignInLink } from "../sign-in/links.ts";
import { type AgentContext, requireApps, requireKind } from "./context.ts";

/** The lifetime of a link from an agent to its user, in seconds. */
const LINK_SECONDS = 3600;

/** A page where the agent's user connects an account; `expiresAt`: undefined if it does not expire. */
export type ConnectLink = { url: string; expiresAt: number | undefined };

/**
 * Create a link by which the agent's user connects an account of an app. The agent never sees the entered credentials.
 */
export async function linkForAgent(agent: AgentContext, slug: string): Promise<ConnectLink> {
  requireKind(agent, "act");
  requireApps(agent, [slug]);
  if (agent.grants.accounts !== undefined)
    throw new RequestError(
      "forbidden",
      "The token is for certain accounts, and connects no others",
    );
  const app = await knownApp(agent, slug);
  if (!app)
    throw invalidInput([
      { path: "app", message: `there is no app ${slug}: search finds the apps of actions` },
    ]);
  if (app.authType === "none")
    throw invalidInput([{ path: "app", message: `${app.name} needs no account` }]);
  const { actor } = agent;
  if (isId("external_user", actor.id)) return linkOfUser(agent, { id: actor.id, slug });
  if (app.authType !== "oauth")
    return { url: `${agent.apiOrigin}/console/accounts`, expiresAt: undefined };
  const { workspace } = agent;
  return createSignInLink(agent, {
    app: slug,
    name: undefined,
    workspace,
    accountId: undefined,
    redirectUri: null,
  });
}

async function linkOfUser(
  agent: AgentContext,
  { id, slug }: { id: `exu_${string}`; slug: string },
): Promise<ConnectLink> {
  if (agent.isOfConnectToken)
    throw new RequestError("forbidden", "A connect token makes no others: open its own link");
  const { url, expiresAt } = await issueConnectToken(agent, id, {
    expiresIn: LINK_SECONDS,
    app: slug,
    oauthAppId: null,
    allowedOrigins: [],
    successRedirectUri: null,
    errorRedirectUri: null,
    webhookUri: null,
    // It opens the page, but no operation of the API.
    scope: NO_SCOPE,
    allowProgressiveScopes: null,
  });
  return { url: `${url}&app=${encodeURIComponent(slug)}`, expiresAt };
}

/** A scope that browsers cannot use. */
const NO_SCOPE = "connect:usage:read";
