import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { isDiskFull } from "./disk.ts";
import { Refusal } from "./refusal.ts";

const URL_FILE = "running.url";

/** The time that an ending run may still hold the state. */
const PATIENCE_MS = 3000;

/**
 * Lock a state folder for this process, until it ends.
 *
 * The kernel drops a SQLite lock with its process, however that ends; a process id in a file would outlive it and,
 * in a container, soon belong to another process.
 */
export function holdState(stateDir: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  // It contains all users' data, also if an earlier release created it.
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
  const { STARTED_BY } = process.env;
  const origin = STARTED_BY ? `, which "${STARTED_BY}" started: end it there` : "";
  writeFileSync(note, `process ${process.pid}${origin}`);
  rmSync(join(stateDir, URL_FILE), { force: true });
  held.push(lock);
}

/** Record the URL of the platform that this process runs on a state folder. */
export function noteUrl(stateDir: string, url: string): void {
  writeFileSync(join(stateDir, URL_FILE), url);
}

/** The URL of the platform that runs on a state folder; undefined if none runs, or it is not ready yet. */
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

// Keeps the lock from garbage collection, which would release it.
const held: DatabaseSync[] = [];
