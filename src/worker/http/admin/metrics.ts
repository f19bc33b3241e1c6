import { createRoute, z } from "@hono/zod-openapi";

import { textOfMetrics } from "#services/metrics.ts";
import { scrapedMetrics } from "#telemetry/metrics.ts";
import { OPENMETRICS_TYPE } from "#telemetry/scraped.ts";

import { createRouter, failures } from "../openapi.ts";

const scrape = createRoute({
  operationId: "getMetrics",
  method: "get",
  path: "/metrics",
  responses: {
    200: {
      description: "Metrics of this platform since its start, as OpenMetrics text",
      content: { "application/openmetrics-text": { schema: z.string() } },
    },
    ...failures(),
  },
});

export const metrics = createRouter().openapi(scrape, async (c) => {
  const text = await textOfMetrics(c.var.platform, scrapedMetrics(c.env));
  return c.body(text, 200, { "content-type": OPENMETRICS_TYPE });
});
