import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { rewrapAll } from "../deploy/rotation.ts";
import { inputHash } from "../local/build.ts";
import { Refusal } from "../local/refusal.ts";
import { secretsFile } from "../local/settings.ts";
import { type RunningPlatform, startPlatform } from "../platform.ts";
import { databaseIn } from "./database-file.ts";
import { dropsOf, loadFiles, tablesOf } from "./dump.ts";
import { openOperator } from "./operator.ts";
import type { Target } from "./target.ts";

/** A state folder of this machine without a running platform: one starts for as long as it is needed. */
export async function openLocal(stateDir: string): Promise<Target> {
  if (!existsSync(join(stateDir, "v3"))) throw new Refusal(`There is no state in ${stateDir}.`);
  return localTarget(stateDir, stateDir);
}

/**
 * A state folder to restore into. The restore writes to a folder beside it, which replaces it at the end, so that a
 * failed restore leaves the old state.
 */
export async function openNewLocal(
  stateDir: string,
  environment: Record<string, string | undefined>,
): Promise<Target> {
  const secrets = await keysFor(stateDir, environment);
  const work = `${stateDir}.restoring`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true, mode: 0o700 });
  await writeFile(secretsFile(work), secrets, { mode: 0o600 });
  return localTarget(work, stateDir);
}

/** The secrets of an existing folder, with the operator's overrides: the restored folder keeps them. */
async function keysFor(
  stateDir: string,
  environment: Record<string, string | undefined>,
): Promise<string> {
  const kept = parseEnv(await readFile(secretsFile(stateDir), "utf8").catch(() => ""));
  const names = [
    "MASTER_KEY",
    "PREVIOUS_MASTER_KEYS",
    "ADMIN_TOKEN",
    "METRICS_TOKEN",
    "DEV_API_KEY",
  ];
  const given = names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []));
  const secrets = { ...kept, ...Object.fromEntries(given) };
  if (!secrets["MASTER_KEY"])
    throw new Refusal(
      "Set MASTER_KEY to the one of the backed-up platform: it is in secrets.env of its state folder, " +
        "or in .secrets of the machine that deployed it.",
    );
  return Object.entries(secrets)
    .map(([name, value]) => `${name}=${String(value)}\n`)
    .join("");
}

async function localTarget(folder: string, stateDir: string): Promise<Target> {
  let platform = await startOn(folder);
  const origin = () => new URL(platform.url).origin;
  const stopped = async <T>(work: () => Promise<T>): Promise<T> => {
    await platform.stop();
    const done = await work();
    platform = await startOn(folder);
    return done;
  };
  return {
    name: stateDir,
    origin: origin(),
    release: await inputHash(),
    operator: () => openOperator(origin(), platform.adminToken),
    async rewrap() {
      const left = await rewrapAll(
        { origin: origin(), token: platform.adminToken, reach: fetch },
        () => {},
      );
      if (left.length > 0) throw new Refusal(`No known master key decrypts ${left.join(", ")}.`);
    },
    copyDatabase: (file) =>
      stopped(async () => {
        const database = await databaseIn(folder);
        for (const suffix of ["", "-wal", "-shm"])
          if (existsSync(`${database}${suffix}`))
            await cp(`${database}${suffix}`, `${file}${suffix}`);
      }),
    replaceDatabase: (files) =>
      stopped(async () => {
        const database = await databaseIn(folder);
        await loadFiles(database, files, dropsOf(tablesOf(database)));
      }),
    isEmpty: async () => !existsSync(join(stateDir, "v3")),
    async finish() {
      await platform.stop();
      if (folder === stateDir) return;
      await rm(stateDir, { recursive: true, force: true });
      await rename(folder, stateDir);
    },
    async close() {
      await platform.stop();
      if (folder !== stateDir) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Start a platform on a state folder that no other uses, with its secrets. */
export async function startOn(stateDir: string): Promise<RunningPlatform> {
  const kept = parseEnv(await readFile(secretsFile(stateDir), "utf8").catch(() => ""));
  const known = Object.entries(kept).flatMap(([name, value]) => (value ? [[name, value]] : []));
  try {
    return await startPlatform({ stateDir, variables: Object.fromEntries(known) });
  } catch {
    throw new Refusal(
      `The platform did not start on ${stateDir}; if it runs already, stop it first.`,
    );
  }
}
