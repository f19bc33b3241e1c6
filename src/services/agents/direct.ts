import { pageOfComponents } from "#db/connect/components.ts";
import { reachesApps } from "#domain/agent-grants.ts";
import type { ComponentDefinition } from "#domain/definition.ts";
import type { HitPlace } from "#domain/page.ts";
import { type AccountChoice, appsOfProps } from "#domain/prop-schema.ts";

import { accountsFor } from "./accounts.ts";
import { type AgentContext, requireKind } from "./context.ts";
import { payerOf } from "./search.ts";

/** An action that is offered as a tool by itself. */
export type DirectAction = { key: string; definition: ComponentDefinition };

/**
 * A page of the actions of an app that an agent may use, with its accounts for them. `next`: undefined on the last
 * page.
 */
export type DirectPage = {
  actions: DirectAction[];
  accounts: AccountChoice[];
  next: HitPlace | undefined;
};

/** Maximum actions of a page. */
const PAGE = 20;

/** A page of the actions of an app, in the order of their keys. */
export async function actionsOfApp(
  agent: AgentContext,
  app: string,
  after: HitPlace | undefined,
): Promise<DirectPage> {
  requireKind(agent, "read");
  const { items } = await pageOfComponents(agent.db, payerOf(agent), {
    filter: { app, type: "action", registry: "all" },
    request: { limit: PAGE, after },
  });
  const actions = items
    .map(({ id, key, definition }) => ({ key: key ?? id, definition }))
    .filter(({ definition }) => reachesApps(agent.grants, appsOfProps(definition.props)));
  const apps = new Set(actions.flatMap(({ definition }) => appsOfProps(definition.props)));
  const last = items.length < PAGE ? undefined : items.at(-1);
  return {
    actions,
    accounts: await accountsFor(agent, [...apps]),
    next: last && { score: last.score, key: last.key ?? "" },
  };
}
