import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { shellRoute } from "../../root.tsx";

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/",
  validateSearch: ({ range }): { range?: "7d" } => (range === "7d" ? { range } : {}),
  component: lazyRouteComponent(() => import("./page.tsx"), "HomePage"),
});
