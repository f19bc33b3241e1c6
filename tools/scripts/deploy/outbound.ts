import { type Config, writeConfig } from "./config.ts";
import type { Tools } from "./tools.ts";

/**
 * Upload the Worker through which components in a dispatch namespace reach the network. It comes before the platform,
 * which cannot name a missing outbound Worker.
 */
export async function uploadOutbound(
  config: Config,
  { report, folder, wrangler }: Tools,
): Promise<void> {
  for (const { outbound, namespace } of config.dispatch_namespaces ?? []) {
    if (!outbound) continue;
    const { service } = outbound;
    await report.change(
      "upload",
      `Worker ${service}, the outbound Worker of ${namespace}`,
      async () => {
        const file = await writeConfig(folder, service, outboundConfig(config, service));
        await wrangler(`upload the Worker ${service}`, ["deploy", "--config", file]);
      },
    );
  }
}

/** The platform's network settings apply to its components, and both count requests in one dataset. */
export function outboundConfig(
  { vars, observability, d1_databases, analytics_engine_datasets: datasets = [] }: Config,
  name: string,
) {
  const own = ["PUBLIC_URL", "EVENTS_URL", "ALLOW_PRIVATE_TARGETS", "EGRESS_GATEWAY_URL"];
  return {
    name,
    main: "src/outbound.ts",
    compatibility_date: "2026-10-01",
    // The second lets it reach the platform's own address, and blocks origins behind the operator's zone.
    compatibility_flags: ["nodejs_compat", "global_fetch_strictly_public"],
    workers_dev: false,
    ...(observability && { observability }),
    vars: Object.fromEntries(own.map((key) => [key, vars[key] ?? ""])),
    d1_databases,
    analytics_engine_datasets: datasets.filter(({ binding }) => binding === "EGRESS_USAGE"),
  };
}
