import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { deploy } from "../../tools/scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";

const PRELOADED = new URL("../fixtures/blocking-waits.mjs", import.meta.url).href;

const TICKING = `export default { name: "Ticking", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } }, run() {} };`;

// The runtime blocks once this process no longer reads its log: if both wait for each other, they wait forever.
test("sweeps and recovery do not block the process that reads the runtime's log", async () => {
  const folder = await mkdtemp(join(tmpdir(), "blocking-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "waits");
  const options = {
    stateDir: join(folder, "state"),
    variables: { NODE_OPTIONS: `--import=${PRELOADED}`, BLOCKING_WAITS: file, SANDBOXES: "0" },
  };
  const first = await startPlatform(options);
  onTestFinished(first.kill);
  await deploy(first, TICKING);
  await first.kill();

  const platform = await startPlatform(options);
  onTestFinished(platform.kill);
  await expect.poll(() => sweepsOf(platform), { interval: 500 }).toBeGreaterThan(0);
  const waits = (await readFile(file, "utf8")).trim().split("\n");
  const forRuntime = waits.filter((stack) => stack.includes("/miniflare/"));
  expect(forRuntime).not.toEqual([]);
  // The database is prepared in a separate runtime, before the platform serves.
  expect(forRuntime.filter((stack) => !stack.includes("/local/database."))).toEqual([]);
});

async function sweepsOf({ url, adminToken }: RunningPlatform): Promise<number> {
  const response = await fetch(url.replace(/v1$/, "admin/metrics"), {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  const [, count] = /^wellspring_sweeps_total\S* (\d+)/m.exec(await response.text()) ?? [];
  return Number(count ?? 0);
}
