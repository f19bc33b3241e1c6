import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { onTestFinished } from "vitest";

import { openApi } from "../../tools/scripts/deploy/api.ts";
import { deployPlatform, type Options } from "../../tools/scripts/deploy/deploy.ts";
import { ROOT } from "../../tools/scripts/local/settings.ts";
import {
  type AccountOptions,
  type CloudflareAccount,
  openCloudflare,
} from "./cloudflare/account.ts";
import { ACCOUNT_ID, TOKEN } from "./cloudflare/server.ts";

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

const OPTIONS: Options = {
  environment: "production",
  dryRun: false,
  skipCanary: false,
  newMasterKey: false,
  withoutMetrics: false,
  check: false,
  shards: { queues: undefined, workflows: undefined },
};

/** A Worker that another user uploaded. */
export const EMPTY = {
  main: "",
  compatibilityDate: "",
  compatibilityFlags: [],
  bindings: [],
  limits: {},
  keepsSecrets: true,
  modules: [],
};

type Timeouts = { callMs?: number; wranglerMs?: number };

/** An empty account, and an operator's machine without any state. */
export async function newOperator(account: AccountOptions = {}) {
  const cloudflare = await openCloudflare(account);
  const folder = await mkdtemp(join(tmpdir(), "deploying-"));
  await writeSite(join(folder, "assets/docs"));
  onTestFinished(async () => {
    await cloudflare.stop();
    await rm(folder, { recursive: true });
  });
  return { cloudflare, ...machineOf(cloudflare, folder) };
}

/** A minimal documentation site. */
async function writeSite(folder: string): Promise<void> {
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Wellspring</title>");
  await writeFile(join(folder, "assets/app.12345678.js"), "export {};");
  await writeFile(join(folder, "llms.txt"), "# Wellspring");
}

function machineOf(cloudflare: CloudflareAccount, folder: string) {
  const url = `${cloudflare.origin}/client/v4`;
  const secretsFolder = join(folder, "secrets");
  const environment = {
    CLOUDFLARE_API_BASE_URL: url,
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID,
    NPM_REGISTRY_URL: "https://registry.example",
  };
  const deploy = async (
    options: Partial<Options> = {},
    own: Record<string, string> = {},
    { callMs = 30_000, wranglerMs = 240_000 }: Timeouts = {},
  ): Promise<string[]> => {
    const lines: string[] = [];
    await deployPlatform(
      { ...OPTIONS, ...options },
      {
        environment: { ...environment, ...own },
        print: (line) => lines.push(line),
        reach: cloudflare.reach,
        timeouts: { healthMs: 120_000, eventMs: 120_000, pollMs: 50 },
        secretsFolder,
        assetsFolder: join(folder, "assets"),
        configFolder: join(folder, ".wrangler/deploy"),
        api: (token) => openApi(token, { base: url, pausesMs: [10, 10, 10], timeoutMs: callMs }),
        // One retry for each call that fails once.
        wranglerTimeouts: { timeoutMs: wranglerMs, pausesMs: Array.from({ length: 12 }, () => 10) },
      },
    );
    return lines;
  };
  /** The report of `--check`, and its error. */
  const check = async (own: Record<string, string> = {}, options: Partial<Options> = {}) => {
    const lines: string[] = [];
    const world = {
      environment: { ...environment, ...own },
      print: (line: string) => lines.push(line),
      api: (token: string) => openApi(token, { base: url, pausesMs: [], timeoutMs: 30_000 }),
    };
    const outcome = deployPlatform({ ...OPTIONS, ...options, check: true }, world);
    const error = await outcome.then(
      () => undefined,
      (reason: unknown) => String(reason),
    );
    return { lines, error };
  };
  const { reach } = cloudflare;
  /** Run a command of wrangler in a project deployed from this machine. */
  const runWrangler = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [WRANGLER, ...args], {
      cwd: folder,
      env: { ...process.env, ...environment, CI: "true", WRANGLER_SEND_METRICS: "false" },
    });
    return stdout;
  };
  const world = {
    environment,
    secretsFolder,
    configFolder: join(folder, ".wrangler/deploy"),
    reach,
  };
  return { deploy, check, runWrangler, secretsFolder, world, assets: join(folder, "assets") };
}

/** All changes on an account, without those that are the same every time. */
export function changesIn(calls: readonly string[]): string[] {
  return calls.filter((call) => !call.startsWith("GET") && !call.endsWith("/query"));
}

/** The first words of the lines that a deployment prints. */
export function firstWords(lines: readonly string[]): (string | undefined)[] {
  return lines.map((line) => line.split("  ")[0]?.trim());
}
