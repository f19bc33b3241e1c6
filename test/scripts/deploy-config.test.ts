import { expect, test } from "vitest";

import { configOf } from "../../scripts/deploy/config.ts";
import { outboundConfig } from "../../scripts/deploy/outbound.ts";

const ENVIRONMENTS = [
  ["production", ""],
  ["staging", "_staging"],
] as const;

test.for(ENVIRONMENTS)(
  "%s keeps our lines, all of them, and none that name URLs",
  async ([environment]) => {
    const { observability, vars } = await configOf(environment);
    expect(observability).toMatchObject({
      enabled: true,
      logs: { enabled: true, invocation_logs: false, head_sampling_rate: 1 },
    });
    expect(vars).toMatchObject({
      LOG_LEVEL: environment === "staging" ? "debug" : "info",
      TRACE_SHARE: "0.01",
      USER_CODE: "loader",
    });
  },
);

test.for(ENVIRONMENTS)("%s has datasets of its own", async ([environment, suffix]) => {
  const { analytics_engine_datasets: datasets } = await configOf(environment);
  expect(datasets).toEqual([
    { binding: "METRICS", dataset: `wellspring_metrics${suffix}` },
    { binding: "EGRESS_USAGE", dataset: `wellspring_egress${suffix}` },
  ]);
});

test.for(ENVIRONMENTS)(
  "the way out of %s counts where the platform does",
  async ([environment]) => {
    const config = await configOf(environment);
    const outbound = outboundConfig(config, "wellspring-outbound");
    expect(outbound.analytics_engine_datasets).toEqual(
      config.analytics_engine_datasets?.filter(({ binding }) => binding === "EGRESS_USAGE"),
    );
    expect(outbound.analytics_engine_datasets).toHaveLength(1);
    expect(outbound.d1_databases).toEqual(config.d1_databases);
    expect(outbound.observability).toEqual(config.observability);
  },
);
