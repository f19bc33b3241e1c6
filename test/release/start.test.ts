import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { freePort } from "../../tools/scripts/local/ports.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";

test("from the first request that it takes on, the platform answers as it should", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "starting-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const [port, apiKey] = [await freePort(), randomBytes(24).toString("hex")];
  const starting = startPlatform({ stateDir, port, variables: { DEV_API_KEY: apiKey } });
  const state = { isReady: false };
  const started = starting.finally(() => (state.isReady = true));

  const statuses: number[] = [];
  const headers = { authorization: `Bearer ${apiKey}` };
  while (!state.isReady) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/users/me`, { headers }).catch(
      () => undefined,
    );
    await response?.body?.cancel();
    if (response) statuses.push(response.status);
    else await wait(2);
  }
  const platform = await started;
  onTestFinished(platform.stop);
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
