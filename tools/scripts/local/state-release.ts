import { existsSync, readFileSync } from "node:fs";
import { readdir, rename, writeFile } from "node:fs/promises";
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
import { releaseIn, ROOT } from "./settings.ts";

const FILE = "release.json";

const Marker = z.object({
  release: z.string(),
  /** The number of migrations of the database, and of each kind of object by its name. */
  migrations: z.record(z.string(), z.number().int()),
});

/** The release that last upgraded a state folder, and its migrations. */
export type StateRelease = z.infer<typeof Marker>;

/** The marker that this release writes into a state folder. */
export async function ownRelease(): Promise<StateRelease> {
  const names = await readdir(join(ROOT, "migrations"));
  const migrations = {
    database: names.filter((name) => name.endsWith(".sql")).length,
    source: SOURCE.length,
    workflow: WORKFLOW.length,
    webhook: WEBHOOK.length,
    data_store: DATA_STORE.length,
    dispatch_namespace: NAMESPACE.length,
  };
  return { release: await releaseIn(ROOT), migrations };
}

/** The release that last used a state folder; undefined if none is recorded. Throws if the record is invalid. */
export function releaseOf(stateDir: string): StateRelease | undefined {
  const file = join(stateDir, FILE);
  if (!existsSync(file)) return undefined;
  try {
    return Marker.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    throw new Refusal(`${file} cannot be read: it contains the release of the state.`);
  }
}

/** Throw if a newer release than `own` has used a state folder: it may have stored data that this one does not know. */
export function refuseNewer(stateDir: string, own: StateRelease): void {
  const stored = releaseOf(stateDir);
  if (!stored || !isNewer(stored, own)) return;
  throw new Refusal(
    `The state in ${stateDir} is of a newer release (${stored.release}) than this one (${own.release}). ` +
      `Start release ${stored.release} or a later one, or restore a backup of this one into another folder.`,
  );
}

/**
 * Record that a state folder is of this release now, and log the upgrade of an older state. `applied`: the migrations
 * that its database lacked.
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
  const migrations = `${applied.length} ${applied.length === 1 ? "migration" : "migrations"} of the database`;
  const message = `Upgraded the state of ${from} to release ${own.release}: ${migrations}; each object migrates on its next start`;
  log.line({ level: "info", event: "upgraded", message }, { migrations: applied.length });
}

/** Whether `one` is of a later version than `other`, or has migrations that it lacks. */
function isNewer(one: StateRelease, other: StateRelease): boolean {
  const hasMore = Object.entries(one.migrations).some(
    ([name, count]) => count > (other.migrations[name] ?? 0),
  );
  return hasMore || gt(one.release, other.release);
}
