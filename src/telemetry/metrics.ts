import { env } from "cloudflare:workers";

import { COLUMNS, dataPointOf, type Point } from "./columns.ts";
import { log } from "./log.ts";
import { ScrapedMetrics } from "./scraped.ts";

let scraped: ScrapedMetrics | undefined;

/** The counters of this isolate for scraping; undefined if data points go to Analytics Engine. */
export function scrapedMetrics({
  METRICS_SCRAPED,
  RELEASE: release,
  COMMIT: commit = "",
}: Pick<Env, "METRICS_SCRAPED" | "RELEASE" | "COMMIT">) {
  if (METRICS_SCRAPED !== "true") return undefined;
  return (scraped ??= new ScrapedMetrics({ release, commit }));
}

/** The counter for requests of components, point by point. */
export function egressUsage(
  bindings: Pick<Env, "METRICS_SCRAPED" | "RELEASE" | "COMMIT" | "EGRESS_USAGE">,
): AnalyticsEngineDataset | undefined {
  const summed = scrapedMetrics(bindings);
  if (!summed) return bindings.EGRESS_USAGE;
  return { writeDataPoint: (point = {}) => summed.addEgress(point) };
}

/** Write a data point, without waiting. Never throws: a failed measurement must not fail the measured work. */
export function measure(point: Point): void {
  if (env.METRICS_ENABLED === "false") return;
  try {
    const summed = scrapedMetrics(env);
    if (summed) return summed.add(point);
    env.METRICS.writeDataPoint(dataPointOf(point));
  } catch (error) {
    log("metric_lost", { error });
  }
}

/** Maximum points of one sort that are written at a time, each with its count. */
const POINTS_A_SORT = 10;

/** Maximum sorts. An invocation may write 250 points, and an object's lasts as long as it is called. */
const MAX_SORTS = 20;

/** Minimum time for which points gather before any are written. */
const WINDOW_MS = 4000;

type Sort = { seen: number; kept: Point[] };

/**
 * The measurements of an object between two writes. Points with equal text columns are one sort; of each sort a random
 * sample is kept, whose counts represent all: rare points are written unchanged, and a stream of points as a few whose
 * counts add up. A crash of the object loses gathered points.
 */
export class Samples {
  readonly #write: (point: Point) => void;
  readonly #sorts = new Map<string, Sort>();
  #writtenMs = 0;

  constructor(write: (point: Point) => void = measure) {
    this.#write = write;
  }

  /** Add a point: written now if none was lately, else by the next flush. */
  add(point: Point, nowMs = Date.now()): void {
    const name = sortOf(point);
    if (!this.#sorts.has(name) && this.#sorts.size === MAX_SORTS) this.flush(nowMs);
    const sort = this.#sorts.get(name) ?? { seen: 0, kept: [] };
    this.#sorts.set(name, sort);
    sort.seen += 1;
    const place =
      sort.seen <= POINTS_A_SORT ? sort.seen - 1 : Math.floor(Math.random() * sort.seen);
    if (place < POINTS_A_SORT) sort.kept[place] = point;
    if (nowMs - this.#writtenMs >= WINDOW_MS) this.flush(nowMs);
  }

  /** Write the gathered points. */
  flush(nowMs = Date.now()): void {
    if (this.#sorts.size === 0) return;
    this.#writtenMs = nowMs;
    for (const { seen, kept } of this.#sorts.values())
      for (const [index, point] of kept.entries())
        this.#write({ ...point, count: shareOf(seen, kept.length, index) });
    this.#sorts.clear();
  }
}

/** Integer shares that add up to all seen points. */
function shareOf(seen: number, shares: number, index: number): number {
  return Math.floor(seen / shares) + (index < seen % shares ? 1 : 0);
}

/** The text columns of a data point. Every run reads it, so it allocates nothing else. */
function sortOf(point: Point): string {
  const values: Record<string, unknown> = point;
  let sort = `${point.kind} ${point.owner_id}`;
  for (const name of COLUMNS[point.kind].blobs) sort += ` ${String(values[name])}`;
  return sort;
}
