import { createRoute, lazyRouteComponent, notFound } from "@tanstack/react-router";

import { userQuery } from "../../api/admin.ts";
import { importQuery } from "../../api/operations.ts";
import { queryClient } from "../../api/queries.ts";
import { shellRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

type Query = { q?: string };

/** The pages of operators. For other users they do not exist. */
const adminRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/admin",
  beforeLoad: ({ context }) => {
    // oxlint-disable-next-line typescript/only-throw-error -- the router expects a thrown redirect.
    if (!context.session.is_operator) throw notFound();
  },
  component: lazyRouteComponent(() => import("./page.tsx"), "AdminPage"),
});

const usersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/",
  validateSearch: (search): Query => textOf(search, "q"),
  component: lazyRouteComponent(() => import("./users.tsx"), "UsersPage"),
});

const userRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/users/$id",
  validateSearch: (search): { days?: string } => textOf(search, "days"),
  loader: ({ params }) => queryClient.ensureQueryData(userQuery(params.id)),
  component: lazyRouteComponent(() => import("./user.tsx"), "UserPage"),
});

const workspacesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/workspaces",
  validateSearch: (search): Query => textOf(search, "q"),
  component: lazyRouteComponent(() => import("./workspaces.tsx"), "AdminWorkspacesPage"),
});

const workspaceRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/workspaces/$id",
  validateSearch: (search): { days?: string } => textOf(search, "days"),
  component: lazyRouteComponent(() => import("./workspace.tsx"), "AdminWorkspacePage"),
});

const importsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/imports",
  component: lazyRouteComponent(() => import("./imports.tsx"), "ImportsPage"),
});

const importRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/imports/$id",
  validateSearch: (search): { state?: string } => textOf(search, "state"),
  loader: ({ params }) => queryClient.ensureQueryData(importQuery(params.id)),
  component: lazyRouteComponent(() => import("./import.tsx"), "ImportPage"),
});

const appsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/apps",
  validateSearch: (search): Query => textOf(search, "q"),
  component: lazyRouteComponent(() => import("./apps.tsx"), "AdminAppsPage"),
});

const healthRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/health",
  component: lazyRouteComponent(() => import("./health.tsx"), "HealthPage"),
});

const deadLettersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/dead-letters",
  validateSearch: (search): { hours?: string } => textOf(search, "hours"),
  component: lazyRouteComponent(() => import("./dead-letters.tsx"), "DeadLettersPage"),
});

const failingWebhookRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/dead-letters/$id",
  validateSearch: (search): { state?: string } => textOf(search, "state"),
  component: lazyRouteComponent(() => import("./failing-webhook.tsx"), "FailingWebhookPage"),
});

const mailboxRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/mailbox",
  validateSearch: (search): { owner?: string } => textOf(search, "owner"),
  component: lazyRouteComponent(() => import("./mailbox.tsx"), "MailboxPage"),
});

const alertsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/alerts",
  validateSearch: (search): { state?: string; owner?: string } => ({
    ...textOf(search, "state"),
    ...textOf(search, "owner"),
  }),
  component: lazyRouteComponent(() => import("./alerts.tsx"), "AlertsPage"),
});

const agentsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/agents",
  validateSearch: (search): { owner?: string } => textOf(search, "owner"),
  component: lazyRouteComponent(() => import("./agents.tsx"), "AgentsPage"),
});

export const adminRoutes = [
  adminRoute.addChildren([
    usersRoute,
    userRoute,
    workspacesRoute,
    workspaceRoute,
    importsRoute,
    importRoute,
    appsRoute,
    healthRoute,
    deadLettersRoute,
    failingWebhookRoute,
    mailboxRoute,
    alertsRoute,
    agentsRoute,
  ]),
] as const;
