import { pageOfComponents } from "#db/connect/components.ts";
import { resolveQuery } from "#db/registry-search.ts";
import { reachesApps } from "#domain/agent-grants.ts";
import type { ComponentDefinition } from "#domain/definition.ts";
import { invalidInput } from "#domain/errors.ts";
import { isPayer, type PayerId } from "#domain/ids.ts";
import { appsOfProps } from "#domain/prop-schema.ts";
import { queryOf } from "#domain/search.ts";

import { type AgentContext, requireKind } from "./context.ts";

/** An action in the results of an agent's search. */
export type FoundAction = {
  action: string;
  name: string;
  description: string;
  apps: string[];
};

/** Maximum matches that are checked against the token's grant. */
const MAX_LOOKED_AT = 100;

/** Actions that an agent may use, the best match first: of an app, or by words for the task. */
export async function searchActions(
  agent: AgentContext,
  { query: text, app, limit }: { query: string; app?: string | undefined; limit: number },
): Promise<{ actions: FoundAction[]; total: number }> {
  requireKind(agent, "read");
  const query = queryOf(text, { isTask: true });
  if (query.words.length === 0 && app === undefined)
    throw invalidInput([{ path: "query", message: "must have a word for the task" }]);
  const filter = {
    type: "action" as const,
    app,
    registry: "all" as const,
    search: query.words.length > 0 ? await resolveQuery(agent.db, query) : undefined,
  };
  const isLimited = agent.grants.apps !== undefined;
  const request = { limit: isLimited ? MAX_LOOKED_AT : limit };
  const { items, totalCount } = await pageOfComponents(agent.db, payerOf(agent), {
    filter,
    request,
  });
  const reached = items.filter(({ definition }) =>
    reachesApps(agent.grants, appsOfProps(definition.props)),
  );
  const actions = reached
    .slice(0, limit)
    .map(({ id, key, definition }) => presentAction(key ?? id, definition));
  return { actions, total: isLimited ? reached.length : totalCount };
}

/** The owner of the components that an agent uses beside the registry's. */
export function payerOf({ actor, owner, payer }: AgentContext): PayerId {
  if (payer !== undefined) return payer;
  if (isPayer(owner)) return owner;
  throw new Error(`${actor.id} has no payer`);
}

const MAX_SHOWN = 200;

function presentAction(
  action: string,
  { name, description = "", props }: ComponentDefinition,
): FoundAction {
  return { action, name, description: description.slice(0, MAX_SHOWN), apps: appsOfProps(props) };
}
