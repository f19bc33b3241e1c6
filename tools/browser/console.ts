import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";

import { call, type Caller } from "../scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { launchBrowser } from "./chromium.ts";
import { startTarget, type Target } from "./target.ts";
import { watch, type Watch } from "./watch.ts";

/** Webhooks target a server on this machine. */
const VARIABLES = { ALLOW_PRIVATE_TARGETS: "true" };

/** A platform with its console, a browser, and a server that webhooks target. */
export type ConsoleStage = {
  platform: RunningPlatform;
  origin: string;
  /** Calls the operator API. */
  operator: Caller;
  target: Target;
  browser: Browser;
  stop: () => Promise<void>;
};

/** A user with an API key. */
export type Person = Caller & { id: string; username: string };

/** Credentials to sign in with. */
export type Credentials = { api_key: string } | { admin_token: string };

/** The members of a stage without a browser. */
export type Platform = Omit<ConsoleStage, "browser" | "stop">;

/** Changes to a platform before the stage's own one starts: calls while it runs, changes of its state after its end. */
export type Preparation = {
  fill?: (platform: Platform) => Promise<void>;
  change?: (stateDir: string) => Promise<void>;
};

/** Create the stage, with further settings of its platform. */
export async function setConsoleStage(
  preparation?: Preparation,
  settings: Record<string, string> = {},
): Promise<ConsoleStage> {
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const stateDir = await mkdtemp(join(tmpdir(), "wellspring-console-"));
    ends.push(() => rm(stateDir, { recursive: true, force: true }));
    const target = await startTarget();
    ends.push(target.close);
    if (preparation) await prepare(stateDir, target, preparation);
    const variables = { ...VARIABLES, ...settings };
    const platform = await startPlatform({ stateDir, variables });
    ends.push(platform.stop);
    const browser = await launchBrowser();
    ends.push(() => browser.close());
    return { ...platformAt(platform, target), browser, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function prepare(
  stateDir: string,
  target: Target,
  { fill, change }: Preparation,
): Promise<void> {
  const platform = await startPlatform({ stateDir, variables: VARIABLES });
  try {
    await fill?.(platformAt(platform, target));
  } finally {
    await platform.stop();
  }
  await change?.(stateDir);
}

function platformAt(platform: RunningPlatform, target: Target): Platform {
  const operator = { url: platform.url.replace(/v1$/, "admin"), apiKey: platform.adminToken };
  return { platform, origin: new URL(platform.url).origin, operator, target };
}

/** Create a user. */
export async function newPerson(
  { platform, operator }: Platform,
  name = `p${randomUUID().slice(0, 8)}`,
): Promise<Person> {
  const fields = { username: name, email: `${name}@plum.example`, plan: "paid" };
  const { id, api_key } = await call<{ id: string; api_key: string }>(operator, "/users", fields);
  return { url: platform.url, apiKey: api_key, id, username: name };
}

/** Open a separate browser context, and record its faults. */
export async function openBrowser(
  { browser, origin }: Pick<ConsoleStage, "browser" | "origin">,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; watched: Watch }> {
  const context = await browser.newContext({ baseURL: origin, locale: "en-GB", ...options });
  return { context, watched: await watch(context, origin) };
}

/** Sign a user in to the console in a browser, as its page does. */
export async function signIn(context: BrowserContext, credentials: Credentials): Promise<void> {
  const response = await context.request.post("/console/session", { data: credentials });
  if (!response.ok())
    throw new Error(`Signing in returned ${response.status()}: ${await response.text()}`);
}
