import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { freePort } from "../../tools/scripts/local/ports.ts";
import { endings, startPlatform } from "../../tools/scripts/platform.ts";

const START = join(import.meta.dirname, "../../tools/scripts/start.ts");

test("the platform responds correctly from its first accepted request on", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "starting-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const [port, apiKey] = [await freePort(), randomBytes(24).toString("hex")];
  const starting = startPlatform({ stateDir, port, variables: { DEV_API_KEY: apiKey } });
  const state = { isReady: false };
  const started = starting.finally(() => (state.isReady = true));

  const statuses: number[] = [];
  const headers = { authorization: `Bearer ${apiKey}` };
  const ask = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/users/me`, { headers }).catch(
      () => undefined,
    );
    await response?.body?.cancel();
    if (response) statuses.push(response.status);
    return state.isReady && response !== undefined;
  };
  await expect.poll(ask, { interval: 2 }).toBe(true);
  const platform = await started;
  onTestFinished(platform.stop);
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

/** The output of a start until its platform is ready, and the platform's URL. */
async function writtenBy(format: string) {
  const stateDir = await mkdtemp(join(tmpdir(), "starting-"));
  const port = await freePort();
  const variables = { STATE_DIR: stateDir, PORT: String(port), SANDBOXES: "0", LOG_FORMAT: format };
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", START], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  });
  onTestFinished(async () => {
    await endings(child).stop();
    await rm(stateDir, { recursive: true, force: true });
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (part: string) => (text += part));
  await once(child, "message");
  return { origin: `http://127.0.0.1:${port}`, text: () => text };
}

test("a start prints a sign-in link that works once, as the user dev and as an operator", async () => {
  const { origin, text } = await writtenBy("text");
  await expect.poll(text).toContain("#link=");
  const [, url, link] = /console +(\S+)#link=(\w+) /.exec(text()) ?? [];
  expect(url).toBe(`${origin}/console/sign-in`);
  const signIn = () =>
    fetch(`${origin}/console/session`, { method: "POST", body: JSON.stringify({ link }) });
  expect(await (await signIn()).json()).toMatchObject({
    data: { user: { username: "dev" }, is_operator: true },
  });
  expect((await signIn()).status).toBe(401);
});

test("a JSON log contains neither the key nor a link", async () => {
  const { text } = await writtenBy("json");
  await expect.poll(text).toContain('"started"');
  expect(text()).not.toMatch(/link=|API key|api_key/);
});
