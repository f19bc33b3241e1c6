import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";

import { expect, onTestFinished, test } from "vitest";

import { newPerson, openBrowser, signIn } from "../../tools/browser/console.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { ROOT } from "../../tools/scripts/local/settings.ts";
import { useStage } from "../support/browser.ts";

/** Vite bundles the dependencies before it serves the first page, which takes long on a busy machine. */
const FIRST_PAGE_MS = 90_000;

const stage = useStage();

/** Copy the console, so that no file of this clone changes during the test. */
async function copyConsole(): Promise<string> {
  await mkdir(join(ROOT, ".wrangler"), { recursive: true });
  const parent = await mkdtemp(join(ROOT, ".wrangler/console-dev-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  await cp(join(ROOT, "console"), join(parent, "console"), {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  for (const name of ["packages", "tsconfig.json"])
    await symlink(join(ROOT, name), join(parent, name));
  return join(parent, "console");
}

/**
 * Run the script behind `npm run console:dev` in a folder, in front of a running platform. Returns its origin, and reads
 * its output.
 */
async function startServer(cwd: string, platform: string) {
  const port = await freePort();
  const server = spawn("npm", ["run", "dev", "--", "--port", String(port), "--strictPort"], {
    cwd,
    env: { ...env, WELLSPRING_URL: platform },
    stdio: ["ignore", "pipe", "inherit"],
    // npm and Vite are a process group, which ends together.
    detached: true,
  });
  let output = "";
  server.stdout.on("data", (text) => {
    output += String(text);
  });
  onTestFinished(async () => {
    const ended = once(server, "exit");
    if (server.pid !== undefined) process.kill(-server.pid);
    await ended;
  });
  const origin = `http://127.0.0.1:${port}`;
  const isServing = () =>
    fetch(`${origin}/console/`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await expect.poll(isServing, { timeout: FIRST_PAGE_MS }).toBe(true);
  return { origin, output: () => output };
}

/** Edit a file of the console in one step: a server that reads a half-written page reloads it. */
async function edit(folder: string, path: string, change: (code: string) => string): Promise<void> {
  const edited = join(folder, "../edited");
  await writeFile(edited, change(await readFile(join(folder, path), "utf8")));
  await rename(edited, join(folder, path));
}

const LIMITS = { timeout: 3 * FIRST_PAGE_MS };
test(
  "a saved change of a page is shown without a reload, beside data of the platform",
  LIMITS,
  async () => {
    const ada = await newPerson(stage());
    const folder = await copyConsole();
    const { origin, output } = await startServer(folder, stage().origin);
    const { context } = await openBrowser({ browser: stage().browser, origin });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(FIRST_PAGE_MS);
    await signIn(context, { api_key: ada.apiKey });
    const page = await context.newPage();
    await page.goto("/console/webhooks");
    await page.getByText("No webhooks yet").waitFor();
    // Vite finds the dependencies of the pages during the first load, and reloads with them.
    await page.waitForLoadState("networkidle");
    await page.evaluate("window.isKept = true");
    await edit(folder, "src/pages/webhooks/list.tsx", (code) =>
      code.replaceAll("No webhooks yet", "No hooks so far"),
    );
    await page.getByText("No hooks so far").waitFor();
    const isKept = await page.evaluate("window.isKept");
    expect(isKept === true || output()).toBe(true);
  },
);
