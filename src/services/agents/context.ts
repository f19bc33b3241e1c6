import type { AgentGrant } from "#db/agent-grants.ts";
import { type AgentKind, type Grants, reachesAccount, reachesApps } from "#domain/agent-grants.ts";
import { RequestError } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";

import type { ProjectContext } from "../connect/context.ts";
import type { Context } from "../context.ts";

/**
 * A platform and the agent that asks it. `actor` is whom it acts for: a user of the v1 API, or an external user of a
 * project. Every service for agents checks `grants` on the host.
 */
export type AgentContext = Context & {
  /** The owner of the resources that it creates, who pays for these alone: the actor, or the workspace that it named. */
  readonly owner: OwnerId;
  readonly grants: Grants;
  /** Set where it acts for an external user: the project and the environment. */
  readonly project?: ProjectContext | undefined;
  /** The grant that allows it; absent: its owner's own token does. */
  readonly grant?: Pick<AgentGrant, "clientId" | "id"> | undefined;
  /** Whether a connect token was presented, which makes no others. */
  readonly isOfConnectToken?: boolean | undefined;
};

/** A refusal for a scope that the token lacks; `scope`: the missing one. */
export class InsufficientScope extends RequestError {
  readonly scope: string;

  constructor(scope: string, message: string) {
    super("forbidden", message, { scope });
    this.scope = scope;
  }
}

/** Refuse an agent whose token does not allow this. */
export function requireKind({ grants }: Pick<AgentContext, "grants">, kind: AgentKind): void {
  if (!grants.kinds.has(kind))
    throw new InsufficientScope(kind, `The token lacks the scope "${kind}"`);
}

/** Refuse an agent whose token does not reach a component that uses these apps. */
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

/** Refuse an agent whose token does not reach an account. */
export function requireAccount(
  { grants }: Pick<AgentContext, "grants">,
  account: { id: string; app: string },
): void {
  if (reachesAccount(grants, account)) return;
  const scope = `account:${account.id}`;
  throw new InsufficientScope(scope, `The token lacks the scope "${scope}"`);
}
