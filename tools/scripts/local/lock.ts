import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { isDiskFull } from "./disk.ts";
import { Refusal } from "./refusal.ts";

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
  held.push(lock);
}

// Keeps the lock from being collected as garbage, which would let it go.
const held: DatabaseSync[] = [];
