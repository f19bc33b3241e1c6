import { type Price, type PricedThing, PRICES } from "./prices.ts";
import type { Counts, Measure } from "./tally.ts";

const MILLION = 1_000_000;
const DAYS_A_MONTH = 30;

/** Every object is billed for this much memory, however many share it. */
const OBJECT_GB = 0.128;

/** The usage of one event in billed units. `cpuMs`: of the runtime as a whole. */
export type Used = Record<PricedThing, number>;

/** One line of a bill: the amount of a priced thing, and its cost. */
export type BillLine = { thing: PricedThing; amount: number; usd: number };

/** The units that Cloudflare bills for the counted usage of one event. */
export function unitsOf(counts: Counts, cpuMs = 0): Used {
  const of = (...measures: Measure[]) =>
    measures.reduce((sum, measure) => sum + (counts[measure] ?? 0), 0);
  return {
    // A batch of the queue and a run of a workflow are invocations of the Worker, like a request.
    workerRequests: of("worker.requests", "worker.batches", "workflows.instances"),
    cpuMs,
    workflowSteps: of("workflows.steps"),
    isolateRequests: of("loader.calls"),
    objectRequests: of(
      "source.requests",
      "source.alarms",
      "webhook.requests",
      "webhook.alarms",
      "workflow.requests",
      "workflow.alarms",
      "owner.requests",
      "owner.alarms",
    ),
    objectSeconds:
      (of("source.activeMs", "webhook.activeMs", "workflow.activeMs", "owner.activeMs") / 1000) *
      OBJECT_GB,
    objectRowsRead: of(
      "source.rowsRead",
      "webhook.rowsRead",
      "workflow.rowsRead",
      "owner.rowsRead",
    ),
    objectRowsWritten: of(
      "source.rowsWritten",
      "webhook.rowsWritten",
      "workflow.rowsWritten",
      "owner.rowsWritten",
    ),
    d1RowsRead: of("d1.rowsRead"),
    d1RowsWritten: of("d1.rowsWritten"),
    // A message is written, read and deleted; a retry reads it once more without a delete.
    queueOperations: of("queue.written") + 2 * of("queue.read") - of("queue.retried"),
    bucketWrites: of("r2.writes"),
    bucketReads: of("r2.reads"),
    analyticsPoints: of("analytics.points"),
    logLines: of("worker.logLines"),
  };
}

/** The price of a million events with this usage each, beyond the plans' allowances. */
export function billOf(used: Used): { lines: BillLine[]; usd: number } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of PRICES.
  const things = Object.keys(PRICES) as PricedThing[];
  const lines = things.map((thing) => {
    const amount = used[thing] * MILLION;
    return { thing, amount, usd: (amount / MILLION) * PRICES[thing].usdPerMillion };
  });
  return { lines, usd: lines.reduce((sum, line) => sum + line.usd, 0) };
}

/** The number of events a month until a plan's first allowance is exhausted, and the name of that allowance. */
export function allowanceOf(
  used: Used,
  plan: "free" | "paid",
): { thing: PricedThing; events: number } | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries of PRICES.
  const entries = Object.entries(PRICES) as [PricedThing, Price][];
  const reached = entries.flatMap(([thing, { freeADay, paidAMonth }]) => {
    const included = plan === "paid" ? paidAMonth : freeADay && freeADay * DAYS_A_MONTH;
    return included === undefined || used[thing] === 0
      ? []
      : [{ thing, events: included / used[thing] }];
  });
  return reached.toSorted((a, b) => a.events - b.events)[0];
}
