import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { shellRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/workflows",
  validateSearch: (search): { q?: string; state?: string } => ({
    ...textOf(search, "q"),
    ...textOf(search, "state"),
  }),
  component: lazyRouteComponent(() => import("./list-page.tsx"), "WorkflowListPage"),
});

const newRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/workflows/new",
  validateSearch: (search): { template?: string } => textOf(search, "template"),
  component: lazyRouteComponent(() => import("./new-page.tsx"), "NewWorkflowPage"),
});

const workflowRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/workflows/$id",
  component: lazyRouteComponent(() => import("./workflow-page.tsx"), "WorkflowPage"),
});

const runsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "/",
  validateSearch: (search): { state?: string; after?: string } => ({
    ...textOf(search, "state"),
    ...textOf(search, "after"),
  }),
  component: lazyRouteComponent(() => import("./runs-page.tsx"), "WorkflowRunsPage"),
});

const runRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "/runs/$run",
  validateSearch: (search): { step?: string } => textOf(search, "step"),
  component: lazyRouteComponent(() => import("./run-page.tsx"), "WorkflowRunPage"),
});

const eventsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "/events",
  validateSearch: (search): { channel?: string; event?: string } => ({
    ...textOf(search, "channel"),
    ...textOf(search, "event"),
  }),
  component: lazyRouteComponent(() => import("./events-page.tsx"), "WorkflowEventsPage"),
});

const definitionRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "/definition",
  validateSearch: (search): { part?: string } => textOf(search, "part"),
  component: lazyRouteComponent(() => import("./definition-page.tsx"), "WorkflowDefinitionPage"),
});

const versionsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "/versions",
  validateSearch: (search): { from?: string; to?: string } => ({
    ...textOf(search, "from"),
    ...textOf(search, "to"),
  }),
  component: lazyRouteComponent(() => import("./versions-page.tsx"), "WorkflowVersionsPage"),
});

export const workflowRoutes = [
  listRoute,
  newRoute,
  workflowRoute.addChildren([runsRoute, runRoute, eventsRoute, definitionRoute, versionsRoute]),
] as const;
