import "./help.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { ensureAssets } from "./local/assets.ts";
import { prepareDatabase } from "./local/database.ts";
import { warningsOf, writeDevConfigs } from "./local/dev-configs.ts";
import { explainDisk, requireFreeSpace } from "./local/disk.ts";
import { onTermination } from "./local/ending.ts";
import { openFront } from "./local/front.ts";
import { HeldOutput } from "./local/held-output.ts";
import { holdState } from "./local/lock.ts";
import { freePort, portBecomesFree } from "./local/ports.ts";
import { Refusal } from "./local/refusal.ts";
import { V8_FLAGS } from "./local/serve.ts";
import { readSettings, ROOT, secretsFile, type Settings, stateFolder } from "./local/settings.ts";
import { signInLink } from "./local/sign-in-link.ts";

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/** The time that leftovers of a killed run may still hold the port. */
const PORT_PATIENCE_MS = 3000;
const POLL_MS = 200;

const SWEEP_INTERVAL_MS = 60_000;

try {
  await develop();
} catch (thrown) {
  const error = explainDisk(thrown, stateFolder(process.env));
  console.error(error instanceof Refusal ? error.message : error);
  process.exit(1);
}

/** Run `wrangler dev`, which rebuilds changed files, with the state and the settings of `npm start`. */
async function develop(): Promise<void> {
  let wrangler: ChildProcess | undefined;
  onTermination(
    async () => {
      if (!wrangler) process.exit(0);
      wrangler.kill("SIGTERM");
    },
    () => process.exit(1),
  );
  holdState(stateFolder(process.env));
  requireFreeSpace(stateFolder(process.env));
  // It has no gate to private networks, so it listens for this machine alone.
  const settings = await readSettings({ ...process.env, HOST: "" });
  for (const warning of settings.warnings) console.warn(warning);
  if (!(await portBecomesFree(settings.port, PORT_PATIENCE_MS)))
    throw new Refusal(`Port ${settings.port} is taken. Choose another with PORT=…`);

  for (const { message } of await ensureAssets()) console.warn(message);
  const { files, databases } = await writeDevConfigs(settings);
  await prepareDatabase(databases, settings);
  const configs = files.flatMap((file) => ["--config", file]);
  const runtimePort = await freePort();
  const where = ["--ip", "127.0.0.1", "--port", String(runtimePort)];
  wrangler = spawn(
    process.execPath,
    [WRANGLER, "dev", ...configs, ...where, "--persist-to", settings.stateDir],
    { cwd: ROOT, stdio: ["inherit", "pipe", "pipe"], env: wranglerEnvironment(process.env) },
  );
  // Its bindings and warnings, over a hundred lines, would hide the banner.
  const output = new HeldOutput([wrangler.stdout, wrangler.stderr], (text) =>
    process.stderr.write(text),
  );
  await openFront({ ...settings, runtimePort });
  const ended = endWith(wrangler, output);
  await Promise.race([answers(settings), ended]);
  output.follow();
  sweepRegularly(settings);
  announce(settings, await signInLink(settings));
  process.send?.("ready");
}

async function endWith(wrangler: ChildProcess, output: HeldOutput): Promise<never> {
  const [code] = await once(wrangler, "exit");
  output.release();
  process.exit(Number(code ?? 0));
}

function wranglerEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { MINIFLARE_WORKERD_V8_FLAGS: V8_FLAGS, ...own, WRANGLER_SEND_METRICS: "false" };
}

/** Cron triggers never fire by themselves on a local runtime. */
function sweepRegularly({ url }: Settings): void {
  setInterval(async () => {
    const swept = await fetch(`${url}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`).catch(
      () => undefined,
    );
    await swept?.body?.cancel();
  }, SWEEP_INTERVAL_MS).unref();
}

async function answers({ url }: Settings): Promise<void> {
  for (;;) {
    const health = await fetch(`${url}/health`).catch(() => undefined);
    await health?.body?.cancel();
    if (health?.ok) return;
    await wait(POLL_MS);
  }
}

function announce({ url, apiKey, stateDir, variables }: Settings, link: string | undefined): void {
  console.log(`Wellspring

  base URL   ${url}/v1
  console    ${link ?? `${url}/console/`}
  API key    ${apiKey}
  admin      token in ${secretsFile(stateDir)}
`);
  for (const warning of warningsOf(variables)) console.warn(warning);
}
