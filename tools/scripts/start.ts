import "./help.ts";
import { setTimeout as wait } from "node:timers/promises";

import { announcement } from "./local/announcement.ts";
import { ensureAssets } from "./local/assets.ts";
import { buildWorkers } from "./local/build.ts";
import { prepareDatabase } from "./local/database.ts";
import { explainDisk, requireFreeSpace } from "./local/disk.ts";
import { drain } from "./local/drain.ts";
import { onTermination } from "./local/ending.ts";
import { type Front, openFront } from "./local/front.ts";
import { guardRuntime } from "./local/guard.ts";
import { untilHealthy } from "./local/health.ts";
import { INNER_HOST } from "./local/inner-host.ts";
import { type LifecycleAddress, requestLifecycle } from "./local/lifecycle.ts";
import { networkUrls } from "./local/listening.ts";
import { holdState, noteUrl } from "./local/lock.ts";
import { log, logFormat } from "./local/log.ts";
import { freePort, portBecomesFree } from "./local/ports.ts";
import { interruptedObjects, recover } from "./local/recovery.ts";
import { Refusal } from "./local/refusal.ts";
import { serve, type Served } from "./local/serve.ts";
import { readSettings, type Settings, stateFolder } from "./local/settings.ts";
import { signInLink } from "./local/sign-in-link.ts";

/** The timeout for the runtime's end. */
const ENDING_PATIENCE_MS = 10_000;

const SWEEP_INTERVAL_MS = 60_000;

/** The time that leftovers of a killed run may still hold the port. */
const PORT_PATIENCE_MS = 3000;

/** The time that interrupted work may hold up the first report of good health. */
const HEALTHY_WITHIN_MS = 60_000;

type Running = { settings: Settings; served: Served; front?: Front };

try {
  await start();
} catch (thrown) {
  const error = explainDisk(thrown, stateFolder(process.env));
  log.line({
    level: "error",
    event: "start_failed",
    ...(error instanceof Refusal
      ? { message: error.message }
      : { message: "The platform did not start", error }),
  });
  process.exit(1);
}

async function start(): Promise<void> {
  let running: Running | undefined;
  const takeSignals = onTermination(
    async () => {
      if (running) await end(running);
      process.exit(0);
    },
    () => process.exit(1),
  );
  const startedAtMs = Date.now();
  logFormat(process.env["LOG_FORMAT"]);
  holdState(stateFolder(process.env));
  requireFreeSpace(stateFolder(process.env));
  const settings = await readSettings(process.env);
  for (const message of settings.warnings)
    log.line({ level: "warn", event: "setting_unknown", message });
  if (!(await portBecomesFree(settings.port, PORT_PATIENCE_MS, settings.host)))
    throw new Refusal(`Port ${settings.port} is taken. Choose another with PORT=…`);

  const interrupted = interruptedObjects(settings.stateDir, Date.now());
  const [builds, notices] = await Promise.all([buildWorkers(), ensureAssets()]);
  for (const notice of notices) log.line({ level: "warn", ...notice });
  guardRuntime();
  await prepareDatabase(builds.platform.options.d1Databases ?? {}, settings);
  const runtimePort = await freePort();
  // A JSON log is stored, and read by many: users' data stays out of it.
  const shown = log.isJson ? { EVENT_LINES: "false" } : {};
  const variables = { ...settings.variables, METRICS_SCRAPED: "true", ...shown };
  const served = await serve(builds, { ...settings, port: runtimePort, variables });
  running = { settings, served };
  takeSignals();
  const { lifecycle } = served;
  // The runtime would answer a CONNECT with 500.
  running.front = await openFront({ ...settings, runtimeHost: INNER_HOST, runtimePort });
  sweepRegularly(lifecycle);
  void recover(lifecycle, interrupted);
  await untilHealthy(settings.url, HEALTHY_WITHIN_MS);
  noteUrl(settings.stateDir, settings.url);
  const elapsedMs = Date.now() - startedAtMs;
  if (log.isJson) logStart(settings, elapsedMs);
  else announce(settings, elapsedMs, await signInLink(settings));
  process.send?.("ready");
}

/** End pending work, as far as it ends in time, and then the runtime. */
async function end({ settings, served, front }: Running): Promise<void> {
  const message = "Finishing pending work. A second signal ends it at once";
  log.line({ level: "info", event: "stopping", message });
  front?.close();
  const left = await drain({ address: served.lifecycle, withinMs: settings.drainMs });
  // A component with an endless loop wedges the runtime; the guard then ends it with us.
  const ended = Promise.all([
    served.miniflare.dispose(),
    served.sandboxes?.stop(),
    served.bundler.stop(),
  ]);
  await Promise.race([ended, wait(ENDING_PATIENCE_MS)]);
  logEnd(left);
}

function logEnd(left: Awaited<ReturnType<typeof drain>>): void {
  if (!left) {
    const unknown = "The runtime did not respond: the next start repeats its work";
    return log.line({ level: "warn", event: "stopped", message: unknown });
  }
  const { requests, runs } = left;
  if (requests + runs === 0)
    return log.line({ level: "info", event: "stopped", message: "All work ended" });
  const cut = `${requests} requests and ${runs} runs were interrupted; the next start repeats the runs`;
  log.line({ level: "warn", event: "stopped", message: cut }, { requests, runs });
}

/** Without the key and without a sign-in link: logs are stored, and read by many. */
function logStart({ url, host, port, variables }: Settings, elapsedMs: number): void {
  log.line(
    { level: "info", event: "started", message: "The platform is ready" },
    {
      release: variables["RELEASE"] ?? "",
      commit: variables["COMMIT"] ?? "",
      base_url: `${variables["PUBLIC_URL"]}/v1`,
      listens_at: [url, ...networkUrls(host, port)].join(" "),
      allow_private_targets: variables["ALLOW_PRIVATE_TARGETS"] ?? "",
      duration_ms: elapsedMs,
    },
  );
}

function announce(settings: Settings, elapsedMs: number, link: string | undefined): void {
  console.log(announcement(settings, link));
  console.log(`ready after ${elapsedMs} ms`);
}

/** Cron triggers never fire by themselves on a local runtime. */
function sweepRegularly(address: LifecycleAddress): void {
  setInterval(async () => {
    try {
      await requestLifecycle(address, "/sweep", { method: "POST" });
    } catch (error) {
      const message = "The scheduled handler failed";
      log.line({ level: "error", event: "cron_failed", message, error });
    }
  }, SWEEP_INTERVAL_MS).unref();
}
