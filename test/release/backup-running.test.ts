import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { endpointOf } from "../../tools/scripts/api.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";
import { fill, receiver, type CounterResponse, trigger } from "../support/used-platform.ts";

const MASTER_KEY = "ab".repeat(32);

/** Run a script of ours; rejects if it fails. */
const script = (name: string, args: string[], environment: Record<string, string>) =>
  promisify(execFile)(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, `../../tools/scripts/${name}.ts`),
      ...args,
    ],
    { env: { ...process.env, ...environment } },
  );

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "backup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("a platform is backed up while it serves, and needs no stop for it", async () => {
  const stateDir = join(await emptyFolder(), "state");
  const platform = await startPlatform({ stateDir, variables: { MASTER_KEY, SANDBOXES: "0" } });
  onTestFinished(platform.stop);
  const hook = await receiver();
  onTestFinished(hook.close);
  const { counter } = await fill(platform, hook.url);
  const backup = join(await emptyFolder(), "backup");
  const making = script("backup", ["--to", backup], {
    STATE_DIR: stateDir,
    ADMIN_TOKEN: platform.adminToken,
  });
  const serving = { isDone: false };
  void making.then(
    () => (serving.isDone = true),
    () => (serving.isDone = true),
  );
  let answers = 0;
  for (; !serving.isDone; answers += 1) await trigger<CounterResponse>(endpointOf(counter));
  await making;
  expect(answers).toBeGreaterThan(0);

  const restored = join(await emptyFolder(), "state");
  const environment = { STATE_DIR: restored, MASTER_KEY };
  await script("restore", ["--from", backup], environment);
  const next = await startPlatform({ stateDir: restored, variables: { MASTER_KEY } });
  onTestFinished(next.stop);
  const path = new URL(endpointOf(counter)).pathname;
  const { count } = await trigger<CounterResponse>(new URL(path, next.url).href);
  // Two runs before the backup, and those that the backup saw of the later ones.
  expect(count).toBeGreaterThanOrEqual(3);
  expect(count).toBeLessThanOrEqual(answers + 3);
});

test("a backup names the missing token of the running platform", async () => {
  const stateDir = join(await emptyFolder(), "state");
  const platform = await startPlatform({ stateDir, variables: { MASTER_KEY, SANDBOXES: "0" } });
  onTestFinished(platform.stop);
  const backup = join(await emptyFolder(), "backup");
  await expect(
    script("backup", ["--to", backup], { STATE_DIR: stateDir, ADMIN_TOKEN: "" }),
  ).rejects.toMatchObject({
    stderr: "Set ADMIN_TOKEN to the running platform's token.\n",
  });
});
