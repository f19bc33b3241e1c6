import { Refusal } from "../local/refusal.ts";
import type { Account } from "./account.ts";
import { ApiFailure } from "./api.ts";
import type { Config } from "./config.ts";
import type { Running } from "./release.ts";
import type { Report } from "./report.ts";

/** Error codes of uploads that need a feature the account lacks. */
const NO_ANALYTICS = 10_089;
const PAID_PLAN_ONLY = new Set([10_195, 100_328]);

type OfferCheck = { config: Config; running: Running; withoutMetrics: boolean };

/**
 * Check, before anything is created, whether the account has the features that the platform's Workers use. Only an
 * upload shows this for certain, so an empty Worker is uploaded with the same bindings and deleted again.
 */
export async function checkOffers(
  account: Account,
  { config, running, withoutMetrics }: OfferCheck,
  report: Report,
): Promise<Config> {
  const wanted = withoutMetrics ? withMetricsOff(config) : config;
  if (withoutMetrics) report.note("not used", "Analytics Engine: the platform keeps no metrics");
  // A running release with these bindings was accepted with them.
  const isKnown = (wanted.analytics_engine_datasets ?? []).every(({ binding }) =>
    running.bindings.has(binding),
  );
  if (running.exists && isKnown) return wanted;
  const what = withoutMetrics ? "the Workers Paid plan" : "the Workers Paid plan, Analytics Engine";
  await report.change("check", `that the account has ${what}`, () => probe(account, wanted));
  return wanted;
}

/** The platform's configuration without Analytics Engine. */
function withMetricsOff(config: Config): Config {
  const vars = { ...config.vars, METRICS_ENABLED: "false" };
  return { ...config, vars, analytics_engine_datasets: [] };
}

async function probe(account: Account, config: Config): Promise<void> {
  const { id, api } = account;
  const name = `${config.name}-probe`;
  const path = `/accounts/${id}/workers/scripts/${name}`;
  const needs = "Workers Scripts: Edit";
  try {
    await api.put(path, uploadOf(config), { task: `upload the Worker ${name}`, needs });
  } catch (error) {
    throw error instanceof ApiFailure ? (refusalOf(error, id) ?? error) : error;
  }
  try {
    await api.delete(path, { task: `delete the Worker ${name}`, needs });
  } catch (error) {
    // A deletion with a lost response is repeated.
    if (!(error instanceof ApiFailure && error.status === 404)) throw error;
  }
}

/** An empty Worker, with the bindings and limits that not every account may use. */
function uploadOf(config: Config): FormData {
  const { compatibility_date, compatibility_flags, limits } = config;
  const datasets = (config.analytics_engine_datasets ?? []).map(({ binding, dataset }) => ({
    type: "analytics_engine",
    name: binding,
    dataset,
  }));
  const loaders = (config.worker_loaders ?? []).map(({ binding }) => ({
    type: "worker_loader",
    name: binding,
  }));
  const metadata = {
    main_module: "probe.js",
    compatibility_date,
    compatibility_flags,
    bindings: [...datasets, ...loaders],
    ...(limits && { limits }),
  };
  const form = new FormData();
  form.set("metadata", new Blob([JSON.stringify(metadata)], { type: "application/json" }));
  const type = "application/javascript+module";
  form.set("probe.js", new File([IDLE], "probe.js", { type }));
  return form;
}

const IDLE = "export default { fetch(request) { return new Response(null, { status: 404 }); } };";

function refusalOf({ message, codes }: ApiFailure, account: string): Refusal | undefined {
  const [summary] = message.split("\n");
  if (codes.includes(NO_ANALYTICS))
    return new Refusal(
      `${summary}\nEnable Analytics Engine at https://dash.cloudflare.com/${account}/workers/analytics-engine, then run ` +
        "the same command again, or deploy without metrics: npm run deploy -- --without-metrics. Nothing was created on it.",
    );
  if (codes.some((code) => PAID_PLAN_ONLY.has(code)))
    return new Refusal(
      `${summary}\nWellspring needs the Workers Paid plan: choose it at ` +
        `https://dash.cloudflare.com/${account}/workers/plans, then run the same command again. Nothing was created on it.`,
    );
  return undefined;
}
