import { createRouter } from "@tanstack/react-router";

import { deployRoutes } from "./pages/deploy/routes.ts";
import { homeRoute } from "./pages/home/routes.ts";
import { signInRoute } from "./pages/sign-in/routes.ts";
import { sourceRoute } from "./pages/source/routes.ts";
import { sourcesRoute } from "./pages/sources/routes.ts";
import { workflowRoutes } from "./pages/workflows/routes.ts";
import { rootRoute, shellRoute } from "./root.tsx";

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    homeRoute,
    ...deployRoutes,
    sourcesRoute,
    sourceRoute,
    ...workflowRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: "/console",
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merges with the interface of the library.
  interface Register {
    router: typeof router;
  }
}
