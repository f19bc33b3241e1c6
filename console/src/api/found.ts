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

/** The user's visible resources with a name, id or app that matches `q`. */
export function foundQuery(q: string) {
  return queryOptions({
    queryKey: ["search", q],
    queryFn: async ({ signal }) => {
      signal.throwIfAborted();
      return (await request<{ data: Found[] }>("GET", "/v1/search", { query: { q, limit: LIMIT } }))
        .data;
    },
    enabled: q !== "",
    // Results stay while the text is extended or shortened: those for another text could be opened by mistake.
    placeholderData: (found, search) => {
      const before = search?.queryKey[1] ?? "";
      const isTypedOn = before !== "" && (q.startsWith(before) || before.startsWith(q));
      return q !== "" && isTypedOn ? found : undefined;
    },
  });
}
