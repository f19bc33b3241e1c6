import { queryOptions } from "@tanstack/react-query";

import { v1 } from "./v1.ts";

export type ListenerKind = "webhook" | "workflow" | "source";

/** The kinds of listeners. */
export type Candidate = { id: string; name: string | null; url?: string; active: boolean };

const MAX_CANDIDATES = 20;

/** The webhooks, workflows or sources of an owner with a text in their name or id, at most 20. */
export function candidatesQuery(kind: ListenerKind, text: string, org: string | undefined) {
  return queryOptions({
    queryKey: ["candidates", kind, text, org],
    queryFn: async ({ signal }) => {
      const query = { q: text === "" ? undefined : text, limit: MAX_CANDIDATES };
      return (await v1<{ data: Candidate[] }>(pathOf(kind, org), { query, signal })).data;
    },
    placeholderData: (previous) => previous,
  });
}

function pathOf(kind: ListenerKind, org: string | undefined): string {
  if (org !== undefined) return `/workspaces/${encodeURIComponent(org)}/${kind}s`;
  return kind === "workflow" ? "/workflows" : `/users/me/${kind}s`;
}
