import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { addressed } from "../../tools/scripts/deploy/address.ts";
import { openApi } from "../../tools/scripts/deploy/api.ts";
import { bundlerConfig } from "../../tools/scripts/deploy/bundler.ts";
import { configOf } from "../../tools/scripts/deploy/config.ts";
import { outboundConfig } from "../../tools/scripts/deploy/outbound.ts";
import { openReport } from "../../tools/scripts/deploy/report.ts";
import { ACCOUNT_ID, TOKEN } from "../support/cloudflare/server.ts";
import { newOperator } from "../support/operator.ts";

const ENVIRONMENTS = [
  ["production", ""],
  ["staging", "_staging"],
] as const;

test.for(ENVIRONMENTS)(
  "%s keeps all our log lines, and none that name URLs",
  async ([environment]) => {
    const { observability, vars } = await configOf(environment);
    expect(observability).toMatchObject({
      enabled: true,
      logs: { enabled: true, invocation_logs: false, head_sampling_rate: 1 },
    });
    expect(vars).toMatchObject({
      LOG_LEVEL: environment === "staging" ? "debug" : "info",
      TRACE_SAMPLE_RATE: "0.01",
      USER_CODE: "loader",
    });
  },
);

test.for(ENVIRONMENTS)(
  "%s has the maximum CPU limit, for workflows of many steps, and subrequests for large imports",
  async ([environment]) => {
    const platform = await configOf(environment);
    const bundler = await bundlerConfig(platform, "https://registry.example");
    // Cloudflare's maximum of CPU; the defaults are 30 s and 10,000.
    for (const config of [platform, bundler])
      expect(config.limits).toEqual({ cpu_ms: 300_000, subrequests: 1_000_000 });
  },
);

test.for(ENVIRONMENTS)("%s has separate datasets", async ([environment, suffix]) => {
  const { analytics_engine_datasets: datasets } = await configOf(environment);
  expect(datasets).toEqual([
    { binding: "METRICS", dataset: `wellspring_metrics${suffix}` },
    { binding: "EGRESS_USAGE", dataset: `wellspring_egress${suffix}` },
  ]);
});

test.for(ENVIRONMENTS)(
  "the outbound Worker of %s counts in the platform's dataset",
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

test.for([
  ["production", "acme-bundler"],
  ["staging", "acme-bundler-staging"],
] as const)("the bundler of %s is named after its platform", async ([environment, name]) => {
  const folder = await mkdtemp(join(tmpdir(), "named-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "wrangler.toml");
  const text = await readFile(join(import.meta.dirname, "../../wrangler.toml"), "utf8");
  await writeFile(file, text.replace('name = "wellspring"', 'name = "acme"'));
  const platform = await configOf(environment, file);
  expect(platform.services).toContainEqual({
    binding: "BUNDLER",
    service: name,
    entrypoint: "Bundler",
  });
  expect(await bundlerConfig(platform, "https://registry.example")).toMatchObject({
    name,
    main: "src/bundler-worker.ts",
    r2_buckets: platform.r2_buckets,
  });
});

test("endpoints have a separate origin if it is set, with any origin of the API", async () => {
  const { cloudflare } = await newOperator();
  const api = openApi(TOKEN, {
    base: `${cloudflare.origin}/client/v4`,
    pausesMs: [],
    timeoutMs: 5000,
  });
  const account = { id: ACCOUNT_ID, token: TOKEN, api };
  const config = await configOf("production");
  const at = (vars: Record<string, string>) =>
    addressed(
      account,
      { ...config, vars: { ...config.vars, EVENTS_URL: "https://hooks.example", ...vars } },
      openReport(true, () => undefined),
    );
  const events = { pattern: "hooks.example", custom_domain: true };
  expect(await at({})).toMatchObject({ routes: [events], workers_dev: true });
  expect(await at({ PUBLIC_URL: "https://api.example" })).toMatchObject({
    routes: [{ pattern: "api.example", custom_domain: true }, events],
    workers_dev: false,
  });
  const outbound = outboundConfig(await at({}), "wellspring-outbound");
  expect(outbound.vars["EVENTS_URL"]).toBe("https://hooks.example");
});
