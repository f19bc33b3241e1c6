import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildWorkers, compile } from "../../scripts/local/build.ts";
import { applyMigrations, ensureDevUser } from "../../scripts/local/database.ts";
import { serve } from "../../scripts/local/serve.ts";
import { readSettings } from "../../scripts/local/settings.ts";
import type { RunningPlatform } from "../../scripts/platform.ts";
import { type CpuReading, readCpu, spentBetween } from "./cpu.ts";
import { objectSizes, type ObjectSizes } from "./sizes.ts";
import type { Counts } from "./tally.ts";

/** A platform that counts the use of its bindings. */
export type CountingPlatform = Pick<RunningPlatform, "url" | "apiKey" | "adminToken"> & {
  /** All counts until now. */
  counts: () => Promise<Counts>;
  /** Fire the alarms of all owners' objects now, which write usage to D1. All counts until then. */
  flush: () => Promise<Counts>;
  sizes: () => Promise<ObjectSizes[]>;
  cpu: () => Promise<CpuReading>;
  /** CPU milliseconds that its runtime spent between two readings, less its idle usage. */
  busyCpuMs: (from: CpuReading, to: CpuReading) => number | undefined;
};

const IDLE_MS = 15_000;

/** Run work against a new counting platform. */
export async function withCountingPlatform<T>(
  work: (platform: CountingPlatform) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "wellspring-costs-"));
  const stateDir = join(folder, "state");
  await mkdir(stateDir);
  const settings = await readSettings({
    ...process.env,
    PORT: "0",
    STATE_DIR: stateDir,
    RATE_LIMIT: "0",
    // The log settings of a deployed platform.
    LOG_LEVEL: "info",
    EVENT_LINES: "false",
  });
  const { bundler } = await buildWorkers();
  const platform = await compile(join(folder, "build"), "platform", "tools/bench/costs/index.ts");
  const { miniflare } = await serve({ platform, bundler }, settings);
  try {
    const db = await miniflare.getD1Database("DB");
    await applyMigrations(db);
    await ensureDevUser(db, settings.apiKey);
    const read = async (path: string): Promise<Counts> => {
      const response = await fetch(`${settings.url}${path}`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own Worker answers.
      return (await response.json()) as Counts;
    };
    const [counts, flush] = [() => read("/costs"), () => read("/costs/flush")];
    const { apiKey, variables } = settings;
    const adminToken = variables["ADMIN_TOKEN"] ?? "";
    const from = await readCpu();
    await new Promise((done) => setTimeout(done, IDLE_MS));
    const idleShare = (spentBetween(from, await readCpu()) ?? 0) / IDLE_MS;
    const busyCpuMs: CountingPlatform["busyCpuMs"] = (start, end) => {
      const spentMs = spentBetween(start, end);
      return spentMs && Math.max(0, spentMs - idleShare * (end.atMs - start.atMs));
    };
    const url = `${settings.url}/v1`;
    const sizes = () => objectSizes(stateDir);
    return await work({ url, apiKey, adminToken, counts, flush, sizes, cpu: readCpu, busyCpuMs });
  } finally {
    await miniflare.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}
