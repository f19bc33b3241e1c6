import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { compile } from "../../scripts/local/build.ts";
import { applyMigrations, ensureDevUser } from "../../scripts/local/database.ts";
import { serve } from "../../scripts/local/serve.ts";
import { readSettings } from "../../scripts/local/settings.ts";
import type { Costs } from "./counting.ts";

/** A platform that counts what it asks of its databases. */
export type CountingPlatform = { url: string; apiKey: string; costs: () => Promise<Costs> };

/** Run work against a counting platform of its own. */
export async function withCountingPlatform<T>(
  work: (platform: CountingPlatform) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "wellspring-costs-"));
  const stateDir = join(folder, "state");
  await mkdir(stateDir);
  const settings = await readSettings({ ...process.env, PORT: "0", STATE_DIR: stateDir });
  const build = await compile(join(folder, "build"), "bench/costs/index.ts");
  const miniflare = await serve(build, settings);
  try {
    const db = await miniflare.getD1Database("DB");
    await applyMigrations(db);
    await ensureDevUser(db, settings.apiKey);
    const costs = async (): Promise<Costs> => {
      const response = await fetch(`${settings.url}/costs`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own Worker answers.
      return (await response.json()) as Costs;
    };
    return await work({ url: `${settings.url}/v1`, apiKey: settings.apiKey, costs });
  } finally {
    await miniflare.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}
