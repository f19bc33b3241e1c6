import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { shellRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

/** The page of one source; its tabs are the routes below. */
const frameRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/sources/$sourceId",
  component: lazyRouteComponent(() => import("./page.tsx"), "SourcePage"),
});

const eventsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/",
  validateSearch: (search): { channel?: string; event?: string } => ({
    ...textOf(search, "channel"),
    ...textOf(search, "event"),
  }),
  component: lazyRouteComponent(() => import("./events.tsx"), "EventsTab"),
});

const logsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/logs",
  validateSearch: (search): { q?: string; level?: string; event?: string } => ({
    ...textOf(search, "q"),
    ...textOf(search, "level"),
    ...textOf(search, "event"),
  }),
  component: lazyRouteComponent(() => import("./logs.tsx"), "LogsTab"),
});

const errorsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/errors",
  validateSearch: (search): { event?: string } => textOf(search, "event"),
  component: lazyRouteComponent(() => import("./errors.tsx"), "ErrorsTab"),
});

const stateRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/state",
  validateSearch: (search): { after?: string } => textOf(search, "after"),
  component: lazyRouteComponent(() => import("./state.tsx"), "StateTab"),
});

const configurationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/configuration",
  validateSearch: (search): { edit?: "props" } =>
    search["edit"] === "props" ? { edit: "props" } : {},
  component: lazyRouteComponent(() => import("./configuration.tsx"), "ConfigurationTab"),
});

type CodeSearch = { file?: string; line?: number; version?: number; against?: number };

const codeRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/code",
  validateSearch: (search): CodeSearch => ({
    ...textOf(search, "file"),
    ...countOf(search, "line"),
    ...countOf(search, "version"),
    ...countOf(search, "against"),
  }),
  component: lazyRouteComponent(() => import("./code.tsx"), "CodeTab"),
});

const listenersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/listeners",
  component: lazyRouteComponent(() => import("./listeners.tsx"), "ListenersTab"),
});

export const sourceRoute = frameRoute.addChildren([
  eventsRoute,
  logsRoute,
  errorsRoute,
  stateRoute,
  configurationRoute,
  codeRoute,
  listenersRoute,
]);

/** A number of a URL's search that counts from 1; undefined if it is invalid. */
function countOf<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [K in Name]?: number } {
  const count = Number(search[name]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the key is the name.
  return (Number.isInteger(count) && count > 0 ? { [name]: count } : {}) as {
    [K in Name]?: number;
  };
}
