import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string; expired?: true } => ({
    ...textOf(search, "next"),
    ...(search["expired"] === true ? { expired: true } : {}),
  }),
  component: lazyRouteComponent(() => import("./page.tsx"), "SignInPage"),
});
