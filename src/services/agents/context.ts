import type { Authority } from "#db/agent-authority.ts";
import type { AgentGrant } from "#db/agent-grants.ts";
import { type AgentKind, type Grants, reachesAccount, reachesApps } from "#domain/agent-grants.ts";
import type { AgentQuotas } from "#domain/agent-quotas.ts";
import { RequestError } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";

import type { ProjectContext } from "../connect/context.ts";
import type { Context } from "../context.ts";

/**
 * A platform and the requesting agent. `actor` is the user that it acts for: a user of the v1 API, or an external user
 * of a project. Every service for agents checks `grants` on the host.
 */
export type AgentContext = Context & {
  /** The owner and payer of the resources that it creates: the actor, or the workspace that it named. */
  readonly owner: OwnerId;
  readonly grants: Grants;
  /** The project and the environment if it acts for an external user. */
  readonly project?: ProjectContext | undefined;
  /** The quotas of the external user. */
  readonly quotas?: AgentQuotas | undefined;
  /** Its grant; absent: its owner's own token was presented. */
  readonly grant?: Pick<AgentGrant, "clientId" | "id"> | undefined;
  /** The presented credentials, without which its subscriptions and streams end. */
  readonly credentials: AgentCredentials;
  /** Whether a connect token was presented, which creates no others. */
  readonly isOfConnectToken?: boolean | undefined;
};

/** The credentials of an agent that were not presented as a grant, and their expiry; null: it is not limited. */
export type AgentCredentials = Pick<Authority, "authorizedBy" | "credential"> & {
  /** Epoch seconds. */
  expiresAt: number | null;
};

/** The authority by which an agent acts, for `hasAuthority` and its subscriptions. */
export function authorityOf({
  owner: ownerId,
  grant,
  credentials: { authorizedBy, credential },
}: Pick<AgentContext, "credentials" | "grant" | "owner">): Authority {
  return { ownerId, grantId: grant?.id ?? null, authorizedBy, credential };
}

/** A refusal for a missing scope of the token; `scope`: the missing one. */
export class InsufficientScope extends RequestError {
  readonly scope: string;

  constructor(scope: string, message: string) {
    super("forbidden", message, { scope });
    this.scope = scope;
  }
}

/** Refuse an agent without a scope. */
export function requireKind({ grants }: Pick<AgentContext, "grants">, kind: AgentKind): void {
  if (!grants.kinds.has(kind))
    throw new InsufficientScope(kind, `The token lacks the scope "${kind}"`);
}

/** Refuse an agent if a component that uses these apps is outside its grant. */
export function requireApps(
  { grants }: Pick<AgentContext, "grants">,
  apps: readonly string[],
): void {
  if (reachesApps(grants, apps)) return;
  const lacking = apps.filter((app) => !grants.apps?.has(app));
  if (lacking.length === 0)
    throw new RequestError(
      "forbidden",
      "The token is for certain apps, and the component uses none",
    );
  const scope = lacking.map((app) => `app:${app}`).join(" ");
  throw new InsufficientScope(scope, `The token lacks the scope "${scope}"`);
}

/** Refuse an agent if an account is outside its grant. */
export function requireAccount(
  { grants }: Pick<AgentContext, "grants">,
  account: { id: string; app: string },
): void {
  if (reachesAccount(grants, account)) return;
  const scope = `account:${account.id}`;
  throw new InsufficientScope(scope, `The token lacks the scope "${scope}"`);
}
