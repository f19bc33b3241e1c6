/** A limit that Cloudflare documents, for one instance of a resource. */
export type Limit = {
  name: string;
  /** Per second, in `unit`. */
  perSecond: number;
  unit: string;
  /** The page with the limit, under developers.cloudflare.com. */
  page: string;
};

/** Limits on Cloudflare's pages in November 2026. */
export const LIMITS = {
  queue: {
    name: "a queue",
    perSecond: 5000,
    unit: "messages",
    page: "queues/platform/limits",
  },
  engine: {
    name: "an engine of workflow runs",
    perSecond: 100,
    unit: "runs begun",
    page: "workflows/reference/limits",
  },
  database: {
    name: "D1",
    perSecond: 1000,
    unit: "round trips of 1 ms",
    page: "d1/platform/limits",
  },
  source: {
    name: "the busiest source's object",
    perSecond: 1000,
    unit: "requests",
    page: "durable-objects/platform/limits",
  },
  webhook: {
    name: "the busiest webhook's object",
    perSecond: 1000,
    unit: "requests",
    page: "durable-objects/platform/limits",
  },
  workflow: {
    name: "the busiest workflow's object",
    perSecond: 1000,
    unit: "requests",
    page: "durable-objects/platform/limits",
  },
  owner: {
    name: "the busiest owner's object",
    perSecond: 1000,
    unit: "requests",
    page: "durable-objects/platform/limits",
  },
} as const satisfies Record<string, Limit>;

export type Resource = keyof typeof LIMITS;
