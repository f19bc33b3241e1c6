import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { isDiskFull } from "./disk.ts";
import { Refusal } from "./refusal.ts";

const URL_FILE = "running.url";

/** How long a run that is ending may still hold the state. */
const PATIENCE_MS = 3000;

/**
 * Take a state folder for this process, until it ends.
 *
 * The kernel drops a SQLite lock with its process, however that dies; a process id in a file would outlive it and,
 * in a container, soon be somebody else's.
 */
export function holdState(stateDir: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  // It holds everybody's data, also where an earlier release made it.
  chmodSync(stateDir, 0o700);
  const note = join(stateDir, "running.txt");
  const lock = new DatabaseSync(join(stateDir, "running.lock"));
  try {
    lock.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; BEGIN EXCLUSIVE`);
  } catch (error) {
    if (isDiskFull(error)) throw error;
    const holder = readFileSync(note, "utf8");
    throw new Refusal(`The state in ${stateDir} is in use by ${holder}`);
  }
  writeFileSync(note, `process ${process.pid}`);
  rmSync(join(stateDir, URL_FILE), { force: true });
  held.push(lock);
}

/** Write down where the platform answers that this process runs on a state folder. */
export function noteUrl(stateDir: string, url: string): void {
  writeFileSync(join(stateDir, URL_FILE), url);
}

/** Where the platform answers that runs on a state folder; undefined where none does, or it is not ready yet. */
export function runningUrl(stateDir: string): string | undefined {
  const [file, lockFile] = [join(stateDir, URL_FILE), join(stateDir, "running.lock")];
  if (!existsSync(file) || !existsSync(lockFile)) return undefined;
  const lock = new DatabaseSync(lockFile);
  try {
    lock.exec("BEGIN EXCLUSIVE; ROLLBACK");
    return undefined;
  } catch {
    return readFileSync(file, "utf8");
  } finally {
    lock.close();
  }
}

// Keeps the lock from being collected as garbage, which would let it go.
const held: DatabaseSync[] = [];
