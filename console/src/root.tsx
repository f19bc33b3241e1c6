import { createRootRoute, createRoute, redirect, retainSearchParams } from "@tanstack/react-router";

import { queryClient, sessionQuery } from "./api/queries.ts";
import { FailurePage, NotFoundPage } from "./layout/failure.tsx";
import { Shell } from "./layout/shell.tsx";
import { textOf } from "./search.ts";

export const rootRoute = createRootRoute({
  notFoundComponent: NotFoundPage,
  errorComponent: FailurePage,
});

/** All pages except the sign-in page. `org`: the workspace of the shown resources. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  validateSearch: (search): { org?: string } => textOf(search, "org"),
  search: { middlewares: [retainSearchParams(["org"])] },
  beforeLoad: async ({ location }) => {
    const session = await queryClient.fetchQuery(sessionQuery);
    // oxlint-disable-next-line typescript/only-throw-error -- the router expects a thrown redirect.
    if (!session) throw redirect({ to: "/sign-in", search: { next: location.publicHref } });
    return { session };
  },
  component: Shell,
  errorComponent: FailurePage,
  notFoundComponent: NotFoundPage,
});
