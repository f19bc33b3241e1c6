import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { openApi } from "../../scripts/deploy/api.ts";
import { deployPlatform, type Options } from "../../scripts/deploy/deploy.ts";
import { type CloudflareAccount, openCloudflare } from "./cloudflare/account.ts";
import { ACCOUNT_ID, TOKEN } from "./cloudflare/server.ts";

const OPTIONS: Options = {
  environment: "production",
  dryRun: false,
  skipCanary: false,
  newMasterKey: false,
};

type Patience = { callMs?: number; wranglerMs?: number };

/** An empty account, and an operator's machine that knows nothing yet. */
export async function newOperator({ dispatch = true } = {}) {
  const cloudflare = await openCloudflare({ dispatch });
  const folder = await mkdtemp(join(tmpdir(), "deploying-"));
  onTestFinished(async () => {
    await cloudflare.stop();
    await rm(folder, { recursive: true });
  });
  return { cloudflare, ...machineOf(cloudflare, folder) };
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
    { callMs = 1000, wranglerMs = 60_000 }: Patience = {},
  ): Promise<string[]> => {
    const lines: string[] = [];
    await deployPlatform(
      { ...OPTIONS, ...options },
      {
        environment: { ...environment, ...own },
        print: (line) => lines.push(line),
        reach: cloudflare.reach,
        patience: { healthMs: 20_000, eventMs: 20_000, pollMs: 50 },
        secretsFolder,
        configFolder: join(folder, "config"),
        api: (token) => openApi(token, { base: url, pausesMs: [10, 10, 10], timeoutMs: callMs }),
        // One try for each call that goes wrong once.
        wranglerPatience: { timeoutMs: wranglerMs, pausesMs: Array.from({ length: 12 }, () => 10) },
      },
    );
    return lines;
  };
  const { reach } = cloudflare;
  const world = { environment, secretsFolder, configFolder: join(folder, "config"), reach };
  return { deploy, secretsFolder, world };
}

/** Everything that was changed on an account, without what is the same every time. */
export function changesIn(calls: readonly string[]): string[] {
  return calls.filter((call) => !call.startsWith("GET") && !call.endsWith("/query"));
}

/** The first words of the lines that a deployment prints. */
export function told(lines: readonly string[]): (string | undefined)[] {
  return lines.map((line) => line.split("  ")[0]?.trim());
}
