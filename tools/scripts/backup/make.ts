import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { Refusal } from "../local/refusal.ts";
import { dumpDatabase, migrationsOf } from "./dump.ts";
import { type Manifest, writeManifest } from "./manifest.ts";
import { FOLDERS, type KeptObject, KINDS, type Operator } from "./operator.ts";
import type { Target } from "./target.ts";

/** The number of files fetched in parallel. */
const LANES = 6;

/** The folders of a backup with its database, and with the archives of pending imports. */
export const DATABASE = "database";
export const IMPORTS = "imports";

/**
 * Back up a platform to a folder: its database first, then its objects' storage, then the code that both refer to. The
 * folder exists once it is complete.
 */
export async function makeBackup(
  target: Target,
  folder: string,
  print: (line: string) => void,
): Promise<Manifest> {
  if (existsSync(folder)) throw new Refusal(`${folder} already exists. Choose another with --to.`);
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  try {
    await target.rewrap();
    // Before the database, which may name an import that ends meanwhile, and after it, which may name a new one.
    await keepArchives(target.operator(), unfinished);
    const migration = await keepDatabase(target, unfinished);
    print(`kept           the database, up to ${migration}`);
    const operator = target.operator();
    const archives = await keepArchives(operator, unfinished);
    print(`kept           archives of imports: ${archives}`);
    await keepObjects(operator, unfinished, print);
    await keepRecords(operator, unfinished, print);
    await keepFiles(operator, unfinished, print);
    const { origin, release } = target;
    const manifest = await writeManifest(unfinished, { release, origin, migration }, (digest) =>
      operator.seal(digest),
    );
    await mkdir(dirname(folder), { recursive: true });
    await rename(unfinished, folder);
    return manifest;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function keepDatabase(target: Target, folder: string): Promise<string> {
  const copy = join(folder, "copy.sqlite");
  await target.copyDatabase(copy);
  await mkdir(join(folder, DATABASE));
  await dumpDatabase(copy, join(folder, DATABASE));
  const migration = migrationsOf(copy).at(-1) ?? "";
  for (const suffix of ["", "-wal", "-shm"]) await rm(`${copy}${suffix}`, { force: true });
  return migration;
}

/** Save the archives that pending imports still need. Returns the number of saved ones. */
async function keepArchives(operator: Operator, folder: string): Promise<number> {
  const kept = join(folder, IMPORTS);
  await mkdir(kept, { recursive: true });
  for (let after: string | null = ""; after !== null;) {
    const page: Awaited<ReturnType<Operator["imports"]>> = await operator.imports(after);
    for (const id of page.ids) {
      const archive = await operator.archive(id);
      if (archive) await writeFile(join(kept, id), archive, { mode: 0o600 });
    }
    after = page.next;
  }
  return (await readdir(kept)).length;
}

async function keepObjects(
  operator: Operator,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  for (const kind of KINDS) {
    const file = join(folder, `${kind}.ndjson`);
    await writeFile(file, "", { mode: 0o600 });
    let count = 0;
    for (let after: number | null = 0; after !== null;) {
      const stretch: Awaited<ReturnType<Operator["objects"]>> = await operator.objects(kind, after);
      const lines = stretch.objects.map((object) => `${JSON.stringify(object)}\n`);
      await writeFile(file, lines.join(""), { flag: "a" });
      count += lines.length;
      after = stretch.next;
    }
    print(`kept           the state of ${kind}: ${count}`);
  }
}

async function keepRecords(
  operator: Operator,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  const stores = await readFile(join(folder, "data_stores.ndjson"), "utf8");
  const file = join(folder, "records.ndjson");
  await writeFile(file, "", { mode: 0o600 });
  let count = 0;
  for (const line of stores.split("\n").filter(Boolean)) {
    const { id }: KeptObject = JSON.parse(line);
    for (let after: string | null = ""; after !== null;) {
      const stretch: Awaited<ReturnType<Operator["records"]>> = await operator.records(id, after);
      for (const object of stretch.objects)
        await writeFile(file, `${JSON.stringify(object)}\n`, { flag: "a" });
      after = stretch.next;
    }
    count += 1;
  }
  print(`kept           the records of data_stores: ${count}`);
}

async function keepFiles(
  operator: Operator,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  let count = 0;
  for (const each of FOLDERS) {
    await mkdir(join(folder, "files", each), { recursive: true });
    for (let after: string | null = ""; after !== null;) {
      const page: Awaited<ReturnType<Operator["names"]>> = await operator.names(each, after);
      await inLanes(page.names, async (name) => {
        await writeFile(join(folder, "files", name), await operator.read(name), { mode: 0o600 });
      });
      count += page.names.length;
      after = page.next;
    }
  }
  print(`kept           files of code and bundles: ${count}`);
}

/** Run some work for each item, a few in parallel. */
export async function inLanes<T>(
  many: readonly T[],
  work: (each: T) => Promise<void>,
): Promise<void> {
  const rest = many.values();
  const lane = async (): Promise<void> => {
    for (const each of rest) await work(each);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
