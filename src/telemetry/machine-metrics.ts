import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";

/** The current figures of a local run, from the process that started it. */
export type MachineFigures = {
  uptimeSeconds: number;
  /** Of the disk with the state folder. */
  diskFreeBytes: number;
  /** Of the process that started the runtime, of the runtime and of the bundler, by their names; without unknown ones. */
  memoryBytes: Record<string, number>;
  openFiles: Record<string, number>;
};

/** Gauges of a local run's processes and disk, as last read. */
export class MachineMetrics {
  readonly #uptime: Gauge;
  readonly #diskFree: Gauge;
  readonly #memory: Gauge;
  readonly #openFiles: Gauge;

  constructor(registry: Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>) {
    const gauge = (name: string, help: string, labelNames: string[] = []) =>
      new Gauge({ name: `wellspring_${name}`, help, labelNames, registers: [registry] });
    this.#uptime = gauge("uptime_seconds", "Time since the start of the platform");
    this.#diskFree = gauge("disk_free_bytes", "Free space of the disk with the state folder");
    this.#memory = gauge("memory_bytes", "Resident memory of a process", ["process"]);
    this.#openFiles = gauge("open_files", "Open files and sockets of a process", ["process"]);
  }

  /** Set the metrics to the current state. */
  set({ uptimeSeconds, diskFreeBytes, memoryBytes, openFiles }: MachineFigures): void {
    this.#uptime.set(uptimeSeconds);
    this.#diskFree.set(diskFreeBytes);
    for (const [process, bytes] of Object.entries(memoryBytes))
      this.#memory.set({ process }, bytes);
    for (const [process, count] of Object.entries(openFiles))
      this.#openFiles.set({ process }, count);
  }
}
