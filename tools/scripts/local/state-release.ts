import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { gt } from "semver";
import { z } from "zod";

import { MIGRATIONS as DATA_STORE } from "#durable-objects/data-store/migrations.ts";
import { MIGRATIONS as NAMESPACE } from "#durable-objects/dispatch-namespace/migrations.ts";
import { MIGRATIONS as SOURCE } from "#durable-objects/source/migrations.ts";
import { MIGRATIONS as WEBHOOK } from "#durable-objects/webhook/migrations.ts";
import { MIGRATIONS as WORKFLOW } from "#durable-objects/workflow/migrations.ts";

import { log } from "./log.ts";
import { Refusal } from "./refusal.ts";
import { ROOT } from "./settings.ts";

const FILE = "release.json";

const Marker = z.object({
  release: z.string(),
  /** How many migrations the database has, and how many each kind of object has, by its name. */
  migrations: z.record(z.string(), z.number().int()),
});

/** The release that last brought a state folder up to date, and how far. */
export type StateRelease = z.infer<typeof Marker>;

/** The marker that this release writes into a state folder. */
export async function ownRelease(): Promise<StateRelease> {
  const { version }: { version: string } = JSON.parse(
    await readFile(join(ROOT, "package.json"), "utf8"),
  );
  const names = await readdir(join(ROOT, "migrations"));
  const migrations = {
    database: names.filter((name) => name.endsWith(".sql")).length,
    source: SOURCE.length,
    workflow: WORKFLOW.length,
    webhook: WEBHOOK.length,
    data_store: DATA_STORE.length,
    dispatch_namespace: NAMESPACE.length,
  };
  return { release: version, migrations };
}

/** The release that a state folder was last used by; undefined where none has said so. Throws where nobody can read it. */
export function releaseOf(stateDir: string): StateRelease | undefined {
  const file = join(stateDir, FILE);
  if (!existsSync(file)) return undefined;
  try {
    return Marker.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    throw new Refusal(`${file} cannot be read: it says which release the state is of.`);
  }
}

/** Throw where a newer release than `own` has used a state folder: this one does not know what that may have stored. */
export function refuseNewer(stateDir: string, own: StateRelease): void {
  const stored = releaseOf(stateDir);
  if (!stored || !isNewer(stored, own)) return;
  throw new Refusal(
    `The state in ${stateDir} is of a newer release (${stored.release}) than this one (${own.release}). ` +
      `Start release ${stored.release} or a later one, or restore a backup of this one into another folder.`,
  );
}

/**
 * Write down that a state folder is of this release now, and log it where the state was of an older one. `applied`: the
 * migrations that its database lacked.
 */
export async function markRelease(
  stateDir: string,
  own: StateRelease,
  applied: readonly string[],
): Promise<void> {
  const stored = releaseOf(stateDir);
  if (stored && !isNewer(own, stored)) return;
  const isNew = !stored && applied.length === own.migrations["database"];
  const file = join(stateDir, FILE);
  await writeFile(`${file}.tmp`, `${JSON.stringify(own, null, 2)}\n`);
  await rename(`${file}.tmp`, file);
  if (isNew) return;
  const from = stored ? `release ${stored.release}` : "an earlier release";
  const message = `Brought the state of ${from} up to date with release ${own.release}: ${applied.length} migrations of the database; each object follows as it wakes`;
  log.line({ level: "info", event: "upgraded", message }, { migrations: applied.length });
}

/** Whether `one` is of a later version than `other`, or has migrations that it lacks. */
function isNewer(one: StateRelease, other: StateRelease): boolean {
  const hasMore = Object.entries(one.migrations).some(
    ([name, count]) => count > (other.migrations[name] ?? 0),
  );
  return hasMore || gt(one.release, other.release);
}
