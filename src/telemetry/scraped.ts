import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";

import { COLUMNS, type Point } from "./columns.ts";
import { type MachineFigures, MachineMetrics } from "./machine-metrics.ts";
import { type SandboxFigures, SandboxMetrics } from "./sandbox-metrics.ts";

type Kind = Point["kind"];
type OpenMetricsRegistry = Registry<typeof OPENMETRICS_TYPE>;
type Labels = Record<string, string>;

/** The release that runs, and its commit; empty if unknown. */
type BuildInfo = { release: string; commit: string };

/** The counter of each kind of point, and its unit. */
const COUNTERS: Record<Kind, [string, string]> = {
  run: ["runs", "Runs of sources and workflows that ended"],
  request: ["requests", "Requests to the API, and events that endpoints rejected"],
  delivery: ["deliveries", "Attempts of webhooks"],
  handover: ["handovers", "Events delivered to listeners"],
  outbox: ["outbox_reports", "Reports of outboxes with events older than thirty seconds"],
  queue: ["queue_reports", "Readings of the queue's backlog"],
  sweep: ["sweeps", "Scheduled sweeps"],
  upload: ["uploads", "Scripts uploaded to the dispatch namespace"],
};

/** Columns with very many values: counters have them, histograms would multiply them by their buckets. */
const IDS = new Set(["owner_id", "emitter_id", "webhook_id", "script"]);

/** Maximum owners and ids with a series of their own in one counter; further ones are `OTHERS` together. */
const MAX_IDS = 10_000;
const OTHERS = "other";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600];
const ITEMS = [1, 2, 3, 5, 10, 20, 50, 100, 1000];

/** An HTTP status is a name, and the outcome contains its class. */
const UNMEASURED = new Set(["status"]);

/** The blobs of the dataset `wellspring_egress`. */
const EGRESS = ["outcome", "method", "adapter"] as const;

type Recorder = (point: Record<string, unknown>, labels: Labels, count: number) => void;

/** The content type of `ScrapedMetrics.text`. */
export const OPENMETRICS_TYPE = Registry.OPENMETRICS_CONTENT_TYPE;

/**
 * Points in the format that Prometheus scrapes: summed up in this isolate since it began. So they are complete if one
 * isolate serves all, as in a local run.
 */
export class ScrapedMetrics {
  readonly #registry = new Registry<typeof OPENMETRICS_TYPE>();
  readonly #recorders = new Map<string, Recorder[]>();
  readonly #egress: ReturnType<typeof egressMetrics>;
  #sandboxes: SandboxMetrics | undefined;
  #machine: MachineMetrics | undefined;

  constructor(build?: BuildInfo) {
    this.#registry.setContentType(OPENMETRICS_TYPE);
    for (const [kind, [name, help]] of Object.entries(COUNTERS))
      this.#recorders.set(kind, recordersOf(this.#registry, { kind, name, help }));
    this.#egress = egressMetrics(this.#registry);
    if (build) addBuild(this.#registry, build);
  }

  /** Count a point with all occurrences that it represents. */
  add(point: Point): void {
    const { count = 1, ...values } = point;
    const labels = { owner_id: point.owner_id ?? "", ...wordsOf(values) };
    for (const record of this.#recorders.get(point.kind) ?? []) record(values, labels, count);
  }

  /** Count a request of a component: a point of the dataset `wellspring_egress`. */
  addEgress({ indexes = [], blobs = [], doubles = [] }: AnalyticsEngineDataPoint): void {
    const { requests, sums, duration } = this.#egress;
    const own = { owner_id: wordOf(indexes[0]) };
    const words = Object.fromEntries(EGRESS.map((name, index) => [name, wordOf(blobs[index])]));
    const [count, durationMs, ...bytes] = doubles.map(Number);
    requests({ ...own, ...words }, count ?? 1);
    for (const [index, add] of sums.entries()) add(own, bytes[index] ?? 0);
    duration.observe(words, (durationMs ?? 0) / 1000);
  }

  /** Set the gauges of sandbox processes. */
  setSandboxes(figures: SandboxFigures): void {
    this.#sandboxes ??= new SandboxMetrics(this.#registry);
    this.#sandboxes.set(figures);
  }

  /** Set the gauges of the machine. */
  setMachine(figures: MachineFigures): void {
    this.#machine ??= new MachineMetrics(this.#registry);
    this.#machine.set(figures);
  }

  /** All metrics as OpenMetrics text. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** A constant, by whose labels queries distinguish releases. */
function addBuild(registry: OpenMetricsRegistry, build: BuildInfo): void {
  new Gauge({
    name: "wellspring_build_info",
    help: "The release of the platform, and its commit if it is known",
    labelNames: ["release", "commit"],
    registers: [registry],
  }).set(build, 1);
}

function recordersOf(
  registry: OpenMetricsRegistry,
  { kind, name, help }: { kind: string; name: string; help: string },
): Recorder[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `COUNTERS` has the keys of `COLUMNS`.
  const { blobs, doubles } = COLUMNS[kind as Kind];
  const words = blobs.filter((blob) => !IDS.has(blob));
  const measured = doubles.filter((double) => !UNMEASURED.has(double));
  const count = boundedCounter(registry, { name, help, labelNames: ["owner_id", ...blobs] });
  return [
    (_, labels, items) => count(labels, items),
    ...measured.map((column) =>
      kind === "queue"
        ? gauge(registry, { kind, column, words })
        : histogram(registry, { kind, column, words }),
    ),
  ];
}

type Measured = { kind: string; column: string; words: readonly string[] };

function histogram(registry: OpenMetricsRegistry, { kind, column, words }: Measured): Recorder {
  const observed = new Histogram({
    name: metricName(kind, column),
    help: `Column ${column} of ${kind}`,
    labelNames: [...words],
    buckets: isDuration(column) ? SECONDS : ITEMS,
    registers: [registry],
  });
  return (point, labels, count) => {
    const value = valueOf(point, column);
    const own = only(labels, words);
    for (let index = 0; index < count; index += 1) observed.observe(own, value);
  };
}

function gauge(registry: OpenMetricsRegistry, { kind, column, words }: Measured): Recorder {
  const latest = new Gauge({
    name: metricName(kind, column),
    help: `Column ${column} of ${kind}, as last read`,
    labelNames: [...words],
    registers: [registry],
  });
  return (point, labels) => latest.set(only(labels, words), valueOf(point, column));
}

/** A counter with a bounded number of labels, even if clients can invent more. */
function boundedCounter(
  registry: OpenMetricsRegistry,
  { name, help, labelNames }: { name: string; help: string; labelNames: string[] },
): (labels: Labels, count: number) => void {
  const counter = new Counter({
    name: `wellspring_${name}_total`,
    help,
    labelNames,
    registers: [registry],
  });
  const ids = labelNames.filter((label) => IDS.has(label));
  const others = Object.fromEntries(ids.map((label) => [label, OTHERS]));
  const known = new Set<string>();
  return (labels, count) => {
    const own = only(labels, labelNames);
    const key = ids.map((label) => own[label]).join(" ");
    const isKnown = known.has(key) || known.size < MAX_IDS;
    if (isKnown) known.add(key);
    counter.inc(isKnown ? own : { ...own, ...others }, count);
  };
}

function egressMetrics(registry: OpenMetricsRegistry) {
  const sum = (name: string, help: string, labels: readonly string[] = []) =>
    boundedCounter(registry, {
      name: `egress_${name}`,
      help,
      labelNames: ["owner_id", ...labels],
    });
  return {
    requests: sum("requests", "Requests and TCP connections of components", EGRESS),
    sums: [
      sum("sent_bytes", "Bytes that components sent"),
      sum("received_bytes", "Bytes that components received"),
      sum("unmeasured", "Requests of components of unknown size"),
    ],
    duration: new Histogram({
      name: "wellspring_egress_duration_seconds",
      help: "Column duration of egress",
      labelNames: [...EGRESS],
      buckets: SECONDS,
      registers: [registry],
    }),
  };
}

function wordOf(blob: string | ArrayBuffer | null | undefined): string {
  return typeof blob === "string" ? blob : "";
}

function isDuration(column: string): boolean {
  return column.endsWith("_ms");
}

function metricName(kind: string, column: string): string {
  return `wellspring_${kind}_${column.replace(/_ms$/, "_seconds")}`;
}

function valueOf(point: Record<string, unknown>, column: string): number {
  const value = Number(point[column]);
  return isDuration(column) ? value / 1000 : value;
}

function wordsOf(values: Record<string, unknown>): Labels {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}

function only(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(names.map((name) => [name, labels[name] ?? ""]));
}
