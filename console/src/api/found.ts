import { queryOptions } from "@tanstack/react-query";

import { request } from "./request.ts";

export type FoundType =
  | "source"
  | "workflow"
  | "webhook"
  | "account"
  | "component"
  | "data_store"
  | "project"
  | "workspace"
  | "api_key"
  | "oauth_client"
  | "external_user"
  | "connected_account"
  | "deployed_trigger"
  | "event"
  | "run"
  | "delivery";

export type Found = {
  type: FoundType;
  id: string;
  name: string;
  detail: string | null;
  parent_id: string | null;
  owner_id: string;
};

const LIMIT = 30;

/** Maximum sources, workflows or webhooks that are searched for an event, a run or a delivery. */
export const MAX_SEARCHED = 10_000;

/** `isComplete`: nothing was left out of the search. */
type SearchResult = { found: Found[]; isComplete: boolean };

type Answer = { data: Found[]; next_offset: number | null };

/** The user's visible resources with a name, id or app that matches `q`. */
export function foundQuery(q: string) {
  return queryOptions({
    queryKey: ["search", q],
    queryFn: ({ signal }) => search(q, signal),
    enabled: q !== "",
    // Results stay while the text is extended or shortened: those for another text could be opened by mistake.
    placeholderData: (result, query) => {
      const before = query?.queryKey[1] ?? "";
      const isTypedOn = before !== "" && (q.startsWith(before) || before.startsWith(q));
      return q !== "" && isTypedOn ? result : undefined;
    },
  });
}

/** Searches part by part for a record that the parts before do not have. */
async function search(q: string, signal: AbortSignal): Promise<SearchResult> {
  const found: Found[] = [];
  let offset: number | null = 0;
  while (offset !== null && offset < MAX_SEARCHED) {
    signal.throwIfAborted();
    const query = { q, limit: LIMIT, offset };
    // oxlint-disable-next-line no-await-in-loop -- each part begins where the last one ends.
    const answer: Answer = await request("GET", "/v1/search", { query });
    found.push(...answer.data);
    offset = answer.data.length > 0 ? null : answer.next_offset;
  }
  return { found, isComplete: offset === null };
}
