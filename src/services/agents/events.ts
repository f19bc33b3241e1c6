import { pageOfSources } from "#db/sources.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { type Filter, compileFilter, issueOfFilter } from "#domain/filters.ts";
import { type Id, isId } from "#domain/ids.ts";
import { encodeCursor, rowOf } from "#domain/page.ts";

import { getSource, type Source } from "../sources/read.ts";
import { type AgentContext, requireKind } from "./context.ts";

/** Maximum event types of a page. */
const PAGE_LENGTH = 50;

/** The arguments of every event type. */
export type EventArguments = {
  /** An expression that events must match, like that of a subscription (docs/contract.md: Filters). */
  filter?: string | undefined;
};

/** A page of the deployed sources of the agent's owner, newest first. A narrowed token gets none. */
export async function listEventTypes(
  agent: AgentContext,
  cursor: string | undefined,
): Promise<{ sources: Source[]; nextCursor: string | undefined }> {
  requireKind(agent, "read");
  const after = cursor === undefined ? undefined : rowOf(cursor);
  if (cursor !== undefined && after === undefined) throw badCursor();
  if (isNarrowed(agent)) return { sources: [], nextCursor: undefined };
  const request = { limit: PAGE_LENGTH, after };
  const { items } = await pageOfSources(agent.db, agent.owner, request);
  const last = items.length < PAGE_LENGTH ? undefined : items.at(-1);
  return {
    sources: items,
    nextCursor: last && encodeCursor({ kind: "row", seq: last.seq }),
  };
}

/** The source of an event type, if the agent's owner has it. */
export async function sourceOfType(agent: AgentContext, name: string): Promise<Id<"source">> {
  if (isNarrowed(agent))
    throw new RequestError(
      "forbidden",
      "The token is for certain apps or accounts, and reaches no events",
    );
  if (!isId("source", name)) throw notFound("source", name);
  const { id, ownerId } = await getSource(agent, name);
  if (ownerId !== agent.owner) throw notFound("source", name);
  return id;
}

/** The filter of an event type's arguments. Refuses an invalid expression. */
export function filterOf({ filter }: EventArguments): Filter | undefined {
  if (filter === undefined || filter === "") return undefined;
  const issue = issueOfFilter(filter);
  if (issue) throw invalidInput([{ ...issue, path: "arguments.filter" }]);
  return compileFilter(filter);
}

export function badCursor(): RequestError {
  return invalidInput([{ path: "cursor", message: "must be one that this method returned" }]);
}

/**
 * Whether a token is for certain apps or accounts. Such a token reads no events: a source keeps the events that it
 * emitted with other code and other accounts before it was changed.
 */
function isNarrowed({ grants: { apps, accounts } }: AgentContext): boolean {
  return apps !== undefined || accounts !== undefined;
}
