import { RequestError } from "#domain/errors.ts";
import { log } from "#telemetry/log.ts";
import type { ScrapedMetrics } from "#telemetry/scraped.ts";

import type { AppContext } from "./context.ts";

/**
 * Metrics of this platform since its start, as OpenMetrics text; without those of its processes while the one that
 * started them does not respond. Refuses if metrics are written to Analytics Engine.
 */
export async function textOfMetrics(
  { sandboxFigures, machineFigures }: Pick<AppContext, "sandboxFigures" | "machineFigures">,
  scraped: ScrapedMetrics | undefined,
): Promise<string> {
  if (!scraped)
    throw new RequestError(
      "not_found",
      "The metrics of this platform are in Analytics Engine, dataset wellspring_metrics",
    );
  try {
    if (machineFigures) scraped.setMachine(await machineFigures());
    if (sandboxFigures) scraped.setSandboxes(await sandboxFigures());
  } catch (error) {
    log("sandbox_figures_missing", { error });
  }
  return scraped.text();
}
