import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";

/** A sandbox process: of a place that owners are distributed over, or of a lane of quarantine. */
export type ProcessFigure = {
  name: string;
  memoryBytes: number;
  calls: number;
  isolates: number;
  starts: number;
  /** The number of its ends, by reason. */
  ends: Record<string, number>;
};

/** The supervisor's figures of its processes. */
export type ProcessFigures = { processes: ProcessFigure[] };

/** The current figures of sandbox processes. */
export type SandboxFigures = ProcessFigures & {
  /** Calls in quarantine, by lane. */
  quarantined: Record<string, number>;
  /** The number of sources, and of pieces of code without a source, that run in quarantine from the start. */
  confined: number;
};

/** Gauges and counters of sandbox processes, each as last read. */
export class SandboxMetrics {
  readonly #ofProcess: Record<"memoryBytes" | "calls" | "isolates", Gauge>;
  readonly #starts: Counter;
  readonly #ends: Counter;
  readonly #quarantined: Gauge;
  readonly #confined: Gauge;

  constructor(registry: Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>) {
    const described = (name: string, help: string, labelNames: string[]) => ({
      name: `wellspring_sandbox_${name}`,
      help,
      labelNames,
      registers: [registry],
    });
    const process = ["process"];
    this.#ofProcess = {
      memoryBytes: new Gauge(described("memory_bytes", "Memory of a sandbox process", process)),
      calls: new Gauge(described("calls", "Calls under way in a sandbox process", process)),
      isolates: new Gauge(described("isolates", "Isolates in a sandbox process", process)),
    };
    this.#starts = new Counter(described("starts_total", "Starts of a sandbox process", process));
    this.#ends = new Counter(
      described("ends_total", "Ends of a sandbox process", ["process", "reason"]),
    );
    this.#quarantined = new Gauge(described("quarantined", "Calls in quarantine", ["lane"]));
    this.#confined = new Gauge(
      described("confined", "Sources and code that run in quarantine from the start", []),
    );
  }

  /** Set the metrics to the current state. */
  set({ processes, quarantined, confined }: SandboxFigures): void {
    // Each reading contains the whole counts.
    this.#starts.reset();
    this.#ends.reset();
    for (const { name: process, starts, ends, ...figure } of processes) {
      this.#ofProcess.memoryBytes.set({ process }, figure.memoryBytes);
      this.#ofProcess.calls.set({ process }, figure.calls);
      this.#ofProcess.isolates.set({ process }, figure.isolates);
      this.#starts.inc({ process }, starts);
      for (const [reason, count] of Object.entries(ends))
        this.#ends.inc({ process, reason }, count);
    }
    for (const [lane, calls] of Object.entries(quarantined)) this.#quarantined.set({ lane }, calls);
    this.#confined.set(confined);
  }
}
