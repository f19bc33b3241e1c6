import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { shellRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

const registryRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/deploy",
  validateSearch: (search): { q?: string } => textOf(search, "q"),
  component: lazyRouteComponent(() => import("./registry-page.tsx"), "RegistryPage"),
});

const codeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/deploy/code",
  validateSearch: (search): { built?: string } => textOf(search, "built"),
  component: lazyRouteComponent(() => import("./code-page.tsx"), "DeployCodePage"),
});

const componentRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/deploy/component/$key",
  component: lazyRouteComponent(() => import("./component-page.tsx"), "DeployComponentPage"),
});

export const deployRoutes = [registryRoute, codeRoute, componentRoute] as const;
