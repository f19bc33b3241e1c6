import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { shellRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

type SourcesSearch = { q?: string; active?: "true" | "false" };

export const sourcesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/sources",
  validateSearch: (search): SourcesSearch => ({
    ...textOf(search, "q"),
    ...activeOf(search["active"]),
  }),
  component: lazyRouteComponent(() => import("./page.tsx"), "SourcesPage"),
});

export const parkedEventsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/parked-events",
  component: lazyRouteComponent(() => import("./parked-page.tsx"), "ParkedPage"),
});

function activeOf(value: unknown): Pick<SourcesSearch, "active"> {
  const text = String(value);
  return text === "true" || text === "false" ? { active: text } : {};
}
