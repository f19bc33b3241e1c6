/** Cloudflare's price of one unit beyond a plan's allowance, and that allowance; US dollars. */
export type Price = {
  name: string;
  usdPerMillion: number;
  /** Included in Workers Free, by the day; undefined: not on that plan. */
  freeADay: number | undefined;
  /** Included in Workers Paid, by the month. */
  paidAMonth: number;
  /** The page with the price, under developers.cloudflare.com. */
  page: string;
  note?: string;
};

const MILLION = 1_000_000;
const BILLION = 1000 * MILLION;

/** Prices on Cloudflare's pages in November 2026. */
export const PRICES = {
  workerRequests: {
    name: "Worker requests",
    usdPerMillion: 0.3,
    freeADay: 100_000,
    paidAMonth: 10 * MILLION,
    page: "workers/platform/pricing",
  },
  cpuMs: {
    name: "CPU, ms",
    usdPerMillion: 0.02,
    freeADay: undefined,
    paidAMonth: 30 * MILLION,
    page: "workers/platform/pricing",
    note: "Free: 10 ms a request",
  },
  workflowSteps: {
    name: "steps of Workflows",
    usdPerMillion: 8,
    freeADay: 3000,
    paidAMonth: MILLION / 2,
    page: "workflows/reference/pricing",
    note: "since August 2026; sleeping and waiting for an event are steps, retries are not",
  },
  isolateRequests: {
    name: "calls of isolates",
    usdPerMillion: 0.3,
    freeADay: undefined,
    paidAMonth: 10 * MILLION,
    page: "dynamic-workers/pricing",
    note: "not billed yet; a call of a dispatch namespace's script is part of the request",
  },
  objectRequests: {
    name: "object requests",
    usdPerMillion: 0.15,
    freeADay: 100_000,
    paidAMonth: MILLION,
    page: "durable-objects/platform/pricing",
  },
  objectSeconds: {
    name: "object GB-s",
    usdPerMillion: 12.5,
    freeADay: 13_000,
    paidAMonth: 400_000,
    page: "durable-objects/platform/pricing",
  },
  objectRowsRead: {
    name: "object rows read",
    usdPerMillion: 0.001,
    freeADay: 5 * MILLION,
    paidAMonth: 25 * BILLION,
    page: "durable-objects/platform/pricing",
  },
  objectRowsWritten: {
    name: "object rows written",
    usdPerMillion: 1,
    freeADay: 100_000,
    paidAMonth: 50 * MILLION,
    page: "durable-objects/platform/pricing",
  },
  d1RowsRead: {
    name: "D1 rows read",
    usdPerMillion: 0.001,
    freeADay: 5 * MILLION,
    paidAMonth: 25 * BILLION,
    page: "d1/platform/pricing",
  },
  d1RowsWritten: {
    name: "D1 rows written",
    usdPerMillion: 1,
    freeADay: 100_000,
    paidAMonth: 50 * MILLION,
    page: "d1/platform/pricing",
  },
  queueOperations: {
    name: "queue operations",
    usdPerMillion: 0.4,
    freeADay: 10_000,
    paidAMonth: MILLION,
    page: "queues/platform/pricing",
  },
  bucketWrites: {
    name: "R2 writes",
    usdPerMillion: 4.5,
    freeADay: MILLION / 30,
    paidAMonth: MILLION,
    page: "r2/pricing",
    note: "the same allowance, by the month, on every plan",
  },
  bucketReads: {
    name: "R2 reads",
    usdPerMillion: 0.36,
    freeADay: (10 * MILLION) / 30,
    paidAMonth: 10 * MILLION,
    page: "r2/pricing",
    note: "the same allowance, by the month, on every plan",
  },
  analyticsPoints: {
    name: "Analytics Engine points",
    usdPerMillion: 0.25,
    freeADay: 100_000,
    paidAMonth: 10 * MILLION,
    page: "analytics/analytics-engine/pricing",
    note: "not billed yet",
  },
  logLines: {
    name: "log lines",
    usdPerMillion: 0.6,
    freeADay: 200_000,
    paidAMonth: 20 * MILLION,
    page: "workers/platform/pricing",
    note: "until 1 December 2026, then by volume; the page with that price was unavailable",
  },
} as const satisfies Record<string, Price>;

export type PricedThing = keyof typeof PRICES;
