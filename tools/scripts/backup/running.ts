import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parseEnv } from "node:util";

import { rewrapAll } from "../deploy/rotation.ts";
import { inputHash } from "../local/build.ts";
import { runningUrl } from "../local/lock.ts";
import { Refusal } from "../local/refusal.ts";
import { secretsFile } from "../local/settings.ts";
import { databaseIn } from "./database-file.ts";
import { openOperator } from "./operator.ts";
import type { Target } from "./target.ts";

/**
 * The platform that runs on a state folder of this machine, to be backed up while it serves; undefined if none runs.
 * Throws if its operator's token is not known.
 */
export async function openRunning(
  stateDir: string,
  environment: Record<string, string | undefined>,
): Promise<Target | undefined> {
  const origin = runningUrl(stateDir);
  if (origin === undefined) return undefined;
  const token = environment["ADMIN_TOKEN"] || keptToken(stateDir);
  if (!token) throw new Refusal("Set ADMIN_TOKEN to the running platform's token.");
  const refuse = async (): Promise<never> => {
    throw new Refusal(`A platform runs on ${stateDir}: stop it first.`);
  };
  return {
    name: stateDir,
    origin,
    release: await inputHash(),
    operator: () => openOperator(origin, token),
    async rewrap() {
      const left = await rewrapAll({ origin, token, reach: fetch }, () => {});
      if (left.length > 0) throw new Refusal(`No known master key decrypts ${left.join(", ")}.`);
    },
    async copyDatabase(file) {
      // A separate reader has a snapshot, and blocks no writer.
      const database = new DatabaseSync(await databaseIn(stateDir), { readOnly: true });
      try {
        database.prepare("VACUUM INTO ?").run(file);
      } finally {
        database.close();
      }
    },
    replaceDatabase: refuse,
    isEmpty: async () => false,
    finish: refuse,
    close: async () => {},
  };
}

function keptToken(stateDir: string): string | undefined {
  const file = secretsFile(stateDir);
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8"))["ADMIN_TOKEN"] : undefined;
}
