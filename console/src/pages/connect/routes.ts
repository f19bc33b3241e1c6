import { createRoute, lazyRouteComponent, retainSearchParams } from "@tanstack/react-router";

import { projectQuery } from "../../api/connect.ts";
import { queryClient } from "../../api/queries.ts";
import { shellRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

type Query = { q?: string };

const connectRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/connect",
  component: lazyRouteComponent(() => import("./page.tsx"), "ConnectPage"),
});

const projectsRoute = createRoute({
  getParentRoute: () => connectRoute,
  path: "/",
  validateSearch: (search): Query => textOf(search, "q"),
  component: lazyRouteComponent(() => import("./projects.tsx"), "ProjectsPage"),
});

const clientsRoute = createRoute({
  getParentRoute: () => connectRoute,
  path: "/clients",
  component: lazyRouteComponent(() => import("./clients.tsx"), "ClientsPage"),
});

const appsRoute = createRoute({
  getParentRoute: () => connectRoute,
  path: "/apps",
  validateSearch: (search): Query => textOf(search, "q"),
  component: lazyRouteComponent(() => import("./apps.tsx"), "AppsPage"),
});

const usageRoute = createRoute({
  getParentRoute: () => connectRoute,
  path: "/usage",
  validateSearch: (search): { days?: string } => textOf(search, "days"),
  component: lazyRouteComponent(() => import("./usage.tsx"), "ConnectUsagePage"),
});

const projectRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/connect/$project",
  validateSearch: (search): { env?: "production" } =>
    search["env"] === "production" ? { env: "production" } : {},
  search: { middlewares: [retainSearchParams(["env"])] },
  loader: ({ params }) => queryClient.ensureQueryData(projectQuery(params.project)),
  component: lazyRouteComponent(() => import("./project/page.tsx"), "ProjectPage"),
});

const tryRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  validateSearch: (search): { user?: string; app?: string } => ({
    ...textOf(search, "user"),
    ...textOf(search, "app"),
  }),
  component: lazyRouteComponent(() => import("./project/try-it.tsx"), "TryItPage"),
});

const usersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/users",
  validateSearch: (search): Query => textOf(search, "q"),
  component: lazyRouteComponent(() => import("./project/users.tsx"), "ExternalUsersPage"),
});

const accountsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/accounts",
  validateSearch: (search): { user?: string; app?: string } => ({
    ...textOf(search, "user"),
    ...textOf(search, "app"),
  }),
  component: lazyRouteComponent(() => import("./project/accounts.tsx"), "ConnectedAccountsPage"),
});

const triggersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/triggers",
  validateSearch: (search): { user?: string } => textOf(search, "user"),
  component: lazyRouteComponent(() => import("./project/triggers.tsx"), "TriggersPage"),
});

const oauthAppsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/oauth-apps",
  component: lazyRouteComponent(() => import("./project/oauth-apps.tsx"), "OauthAppsPage"),
});

const overridesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/app-settings",
  component: lazyRouteComponent(() => import("./project/overrides.tsx"), "OverridesPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./project/settings.tsx"), "ProjectSettingsPage"),
});

export const connectRoutes = [
  connectRoute.addChildren([projectsRoute, clientsRoute, appsRoute, usageRoute]),
  projectRoute.addChildren([
    tryRoute,
    usersRoute,
    accountsRoute,
    triggersRoute,
    oauthAppsRoute,
    overridesRoute,
    settingsRoute,
  ]),
] as const;
