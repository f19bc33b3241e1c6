import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { queryClient } from "../../api/queries.ts";
import { type DeliveryState, webhookQuery } from "../../api/webhooks.ts";
import { shellRoute } from "../../root.tsx";
import { textOf } from "../../search.ts";

const STATES: DeliveryState[] = ["pending", "delivered", "failed", "dead"];

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/webhooks",
  validateSearch: (search): { q?: string; active?: string } => ({
    ...textOf(search, "q"),
    ...textOf(search, "active"),
  }),
  component: lazyRouteComponent(() => import("./list.tsx"), "WebhooksPage"),
});

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/webhooks/$id",
  loader: ({ params }) => queryClient.ensureQueryData(webhookQuery(params.id)),
  component: lazyRouteComponent(() => import("./page.tsx"), "WebhookPage"),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => webhookRoute,
  path: "/",
  validateSearch: (search): { state?: DeliveryState } => {
    const state = STATES.find((name) => name === search["state"]);
    return state === undefined ? {} : { state };
  },
  component: lazyRouteComponent(() => import("./deliveries.tsx"), "DeliveriesPage"),
});

const deliveryRoute = createRoute({
  getParentRoute: () => webhookRoute,
  path: "/deliveries/$deliveryId",
  component: lazyRouteComponent(() => import("./delivery.tsx"), "DeliveryPage"),
});

const subscriptionsRoute = createRoute({
  getParentRoute: () => webhookRoute,
  path: "/subscriptions",
  component: lazyRouteComponent(() => import("./subscriptions.tsx"), "SubscriptionsPage"),
});

const verifyRoute = createRoute({
  getParentRoute: () => webhookRoute,
  path: "/verify",
  component: lazyRouteComponent(() => import("./verify.tsx"), "VerifyPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => webhookRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings.tsx"), "WebhookSettingsPage"),
});

export const webhookRoutes = [
  webhooksRoute,
  webhookRoute.addChildren([
    deliveriesRoute,
    deliveryRoute,
    subscriptionsRoute,
    verifyRoute,
    settingsRoute,
  ]),
] as const;
