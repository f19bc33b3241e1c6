import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { accountQuery, workspaceQuery } from "../../api/account.ts";
import { dataStoreQuery } from "../../api/data-stores.ts";
import { queryClient } from "../../api/queries.ts";
import { shellRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./page.tsx"), "SettingsPage"),
});

const profileRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./profile.tsx"), "ProfilePage"),
});

const keysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/keys",
  component: lazyRouteComponent(() => import("./keys.tsx"), "KeysPage"),
});

const sessionsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/sessions",
  component: lazyRouteComponent(() => import("./sessions.tsx"), "SessionsPage"),
});

const workspacesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/workspaces",
  component: lazyRouteComponent(() => import("./workspaces.tsx"), "WorkspacesPage"),
});

const workspaceRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/workspaces/$id",
  loader: ({ params }) => queryClient.ensureQueryData(workspaceQuery(params.id)),
  component: lazyRouteComponent(() => import("./workspace.tsx"), "WorkspacePage"),
});

const accountsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/accounts",
  validateSearch: (search): { q?: string; app?: string } => ({
    ...textOf(search, "q"),
    ...textOf(search, "app"),
  }),
  component: lazyRouteComponent(() => import("./accounts.tsx"), "AccountsPage"),
});

const newAccountRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/accounts/new",
  validateSearch: (search): { app?: string } => textOf(search, "app"),
  component: lazyRouteComponent(() => import("./new-account.tsx"), "NewAccountPage"),
});

const accountRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/accounts/$id",
  loader: ({ params }) => queryClient.ensureQueryData(accountQuery(params.id)),
  component: lazyRouteComponent(() => import("./account.tsx"), "AccountPage"),
});

const dataStoresRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/data-stores",
  component: lazyRouteComponent(() => import("./data-stores.tsx"), "DataStoresPage"),
});

const dataStoreRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/data-stores/$id",
  validateSearch: (search): { key?: string } => textOf(search, "key"),
  loader: ({ params }) => queryClient.ensureQueryData(dataStoreQuery(params.id)),
  component: lazyRouteComponent(() => import("./data-store.tsx"), "DataStorePage"),
});

const usageRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/usage",
  validateSearch: (search): { days?: string } => textOf(search, "days"),
  component: lazyRouteComponent(() => import("./usage.tsx"), "UsagePage"),
});

export const settingsRoutes = [
  settingsRoute.addChildren([
    profileRoute,
    keysRoute,
    sessionsRoute,
    workspacesRoute,
    workspaceRoute,
    accountsRoute,
    newAccountRoute,
    accountRoute,
    dataStoresRoute,
    dataStoreRoute,
    usageRoute,
  ]),
] as const;
