import { createReadStream, existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Refusal } from "../local/refusal.ts";
import { ROOT } from "../local/settings.ts";
import { dumpedFiles, loadFiles, migrationsOf } from "./dump.ts";
import { DATABASE, IMPORTS, inLanes } from "./make.ts";
import { type Manifest, readManifest, type SealedManifest } from "./manifest.ts";
import {
  FOLDERS,
  type KeptObject,
  type Operator,
  RESTORED_KINDS,
  type RestoredKind,
} from "./operator.ts";
import type { Target } from "./target.ts";

/** The maximum number of objects in a request, and of their bytes. */
const BATCH_LENGTH = 20;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Read a backup and reject one that is incomplete, changed, or of a newer release. Changes nothing. */
export async function checkBackup(folder: string): Promise<SealedManifest> {
  const backup = await readManifest(folder);
  const known = (await readdir(join(ROOT, "migrations"))).filter((name) => name.endsWith(".sql"));
  const { migration } = backup.manifest;
  if (!known.includes(migration))
    throw new Refusal(
      `The backup is of a newer release: its database has ${migration}, which this release does not have. ` +
        `Restore it with release ${backup.manifest.release} or a later one.`,
    );
  await checkDatabase(folder, backup.manifest);
  return backup;
}

/** Restore a platform from a backup: its database, then its code, then its objects, which resume their work. */
export async function restoreBackup(
  target: Target,
  { folder, backup, force }: { folder: string; backup: SealedManifest; force: boolean },
  print: (line: string) => void,
): Promise<void> {
  await target.operator().check(backup.digest, backup.seal);
  if (!force && !(await target.isEmpty()))
    throw new Refusal(`${target.name} is not empty. Pass --force to overwrite it.`);
  // Before the database that names them: an import without its archive would fail.
  await restoreArchives(target.operator(), join(folder, IMPORTS), print);
  await target.replaceDatabase(await dumpedFiles(join(folder, DATABASE)));
  print(`restored       the database, made at ${backup.manifest.made_at}`);
  const operator = target.operator();
  await restoreFiles(operator, folder, print);
  const failed = await restoreObjects(operator, folder, print);
  await target.finish();
  print("Sources that were active are active again, with the ids of what they had emitted.");
  if (failed.length === 0) return;
  const reasons = failed.map(({ id, reason }) => `  ${id}: ${reason}`).join("\n");
  throw new Refusal(
    `Restored, except for these; run the same command with --force, or redeploy them:\n${reasons}`,
  );
}

/** Tries the statements on a temporary database. */
async function checkDatabase(folder: string, { migration }: Manifest): Promise<void> {
  const trial = await mkdtemp(join(tmpdir(), "restore-"));
  try {
    const database = join(trial, "trial.sqlite");
    await loadFiles(database, await dumpedFiles(join(folder, DATABASE)));
    if (migrationsOf(database).at(-1) !== migration)
      throw new Error(`it does not end with ${migration}`);
  } catch (error) {
    throw new Refusal(`The database of the backup cannot be read: ${String(error)}`);
  } finally {
    await rm(trial, { recursive: true });
  }
}

async function restoreArchives(
  operator: Operator,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  // A backup of an earlier release has none.
  const names = existsSync(folder) ? await readdir(folder) : [];
  for (const name of names) await operator.putArchive(name, await readFile(join(folder, name)));
  print(`restored       archives of imports: ${names.length}`);
}

async function restoreFiles(
  operator: Operator,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  let count = 0;
  for (const each of FOLDERS) {
    const names = await readdir(join(folder, "files", each));
    count += names.length;
    await inLanes(names, async (name) =>
      operator.write(`${each}/${name}`, await readFile(join(folder, "files", each, name))),
    );
  }
  print(`restored       files of code and bundles: ${count}`);
}

async function restoreObjects(
  operator: Operator,
  folder: string,
  print: (line: string) => void,
): Promise<{ id: string; reason: string }[]> {
  const failed = [];
  for (const kind of RESTORED_KINDS) {
    let restored = 0;
    let present = 0;
    for await (const batch of batchesOf(folder, kind)) {
      const revived = await operator.restore(kind, batch);
      restored += revived.restored;
      present += revived.present;
      failed.push(...revived.failed);
    }
    const alive = present > 0 ? `; ${present} were there already` : "";
    const what = kind === "records" ? "stretches of records" : kind;
    print(`restored       ${what}: ${restored}${alive}`);
  }
  return failed;
}

async function* batchesOf(folder: string, kind: RestoredKind): AsyncGenerator<KeptObject[]> {
  const lines = createInterface(createReadStream(join(folder, `${kind}.ndjson`)));
  let batch: KeptObject[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const object: KeptObject = JSON.parse(line);
    batch.push(object);
    bytes += line.length;
    if (batch.length < BATCH_LENGTH && bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
