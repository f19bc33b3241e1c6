import { createRouter } from "@tanstack/react-router";

import { adminRoutes } from "./pages/admin/routes.ts";
import { connectRoutes } from "./pages/connect/routes.ts";
import { deployRoutes } from "./pages/deploy/routes.ts";
import { homeRoute } from "./pages/home/routes.ts";
import { settingsRoutes } from "./pages/settings/routes.ts";
import { signInRoute } from "./pages/sign-in/routes.ts";
import { sourceRoute } from "./pages/source/routes.ts";
import { parkedEventsRoute, sourcesRoute } from "./pages/sources/routes.ts";
import { webhookRoutes } from "./pages/webhooks/routes.ts";
import { workflowRoutes } from "./pages/workflows/routes.ts";
import { rootRoute, shellRoute } from "./root.tsx";

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    homeRoute,
    ...deployRoutes,
    sourcesRoute,
    parkedEventsRoute,
    sourceRoute,
    ...workflowRoutes,
    ...webhookRoutes,
    ...connectRoutes,
    ...settingsRoutes,
    ...adminRoutes,
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
