import { MutationCache, QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
import { WellspringError } from "@wellspring/client";

import { readSession } from "./session.ts";
import { v1 } from "./v1.ts";

/** Whether the session has ended. */
function isSignedOut(error: unknown): boolean {
  return error instanceof WellspringError && error.status === 401;
}

/** The current session, on which all other queries depend. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: readSession,
  staleTime: 60_000,
});

/** A workspace that the user is a member of. */
export type Workspace = { id: string; orgname: string; name: string };

/** The workspaces that the user is a member of. */
export const workspacesQuery = queryOptions({
  queryKey: ["workspaces"],
  queryFn: async ({ signal }) => (await v1<{ data: Workspace[] }>("/workspaces", { signal })).data,
  staleTime: 60_000,
});

/** Refetches the session after a 401: the shell watches it, and redirects to the sign-in page. */
export function noticeEnd(error: unknown): void {
  if (isSignedOut(error)) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // The client retries temporary failures.
      retry: false,
    },
  },
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
});
