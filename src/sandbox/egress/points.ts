/** More requests than one process sends between two reports. */
const MAX_POINTS = 10_000;

/** Data points about requests of components, which gather until the next report takes them. */
export class EgressPoints {
  #points: AnalyticsEngineDataPoint[] = [];

  /** Keep a point for the next report; too many are dropped. */
  writeDataPoint(point: AnalyticsEngineDataPoint = {}): void {
    if (this.#points.length < MAX_POINTS) this.#points.push(point);
  }

  /** All that gathered since the last report. */
  take(): AnalyticsEngineDataPoint[] {
    const taken = this.#points;
    this.#points = [];
    return taken;
  }
}
