import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { request } from "./request.ts";

export type FoundType =
  | "source"
  | "workflow"
  | "webhook"
  | "account"
  | "component"
  | "data_store"
  | "project";

export type Found = {
  type: FoundType;
  id: string;
  name: string;
  detail: string | null;
  owner_id: string;
};

const LIMIT = 30;

/** Everything that the user may see whose name, id or app matches `q`. */
export function foundQuery(q: string) {
  return queryOptions({
    queryKey: ["search", q],
    queryFn: async ({ signal }) => {
      signal.throwIfAborted();
      return (await request<{ data: Found[] }>("GET", "/v1/search", { query: { q, limit: LIMIT } }))
        .data;
    },
    enabled: q !== "",
    placeholderData: keepPreviousData,
  });
}
