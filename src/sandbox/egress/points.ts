/** More requests than one process sends between two reports. */
const MAX_POINTS = 10_000;

/** Data points about requests of components, buffered until the next report. */
export class EgressPoints {
  #points: AnalyticsEngineDataPoint[] = [];

  /** Buffer a point for the next report; points beyond the maximum are dropped. */
  writeDataPoint(point: AnalyticsEngineDataPoint = {}): void {
    if (this.#points.length < MAX_POINTS) this.#points.push(point);
  }

  /** All points since the last report. */
  take(): AnalyticsEngineDataPoint[] {
    const taken = this.#points;
    this.#points = [];
    return taken;
  }
}
