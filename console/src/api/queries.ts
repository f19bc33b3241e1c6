import { QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
import { WellspringError } from "@wellspring/client";

import { readSession } from "./session.ts";

/** Whether nobody is signed in any more. */
function isSignedOut(error: unknown): boolean {
  return error instanceof WellspringError && error.status === 401;
}

/** Who is signed in. Everything else of the console is read as this session. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: readSession,
  staleTime: 60_000,
});

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // The client repeats what failed for now.
      retry: false,
    },
  },
  queryCache: new QueryCache({
    onError: (error) => {
      if (isSignedOut(error))
        void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  }),
});
