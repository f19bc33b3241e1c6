import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Refusal } from "./refusal.ts";

/** Room for a new database and the journals of a first start. */
const PROBE_BYTES = 4 * 1024 * 1024;

/** Throw unless a state folder has room to start with: the runtime would only fail later, and obscurely. */
export function requireFreeSpace(stateDir: string): void {
  const file = join(stateDir, "probe.tmp");
  try {
    // Written rather than asked for, so that quotas count too.
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { flush: true });
  } finally {
    rmSync(file, { force: true });
  }
}

/** An error as a refusal where its cause is a full disk; any other error as it is. */
export function explainFullDisk(error: unknown, stateDir: string): unknown {
  return isDiskFull(error)
    ? new Refusal(`The disk of ${stateDir} is full. Free some space and start again`)
    : error;
}

/** Whether a file system, SQLite or D1 failed for want of space. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, "code");
  return (
    code === "ENOSPC" ||
    code === "EDQUOT" ||
    /database or disk is full|SQLITE_FULL|ENOSPC|EDQUOT/.test(error.message) ||
    isDiskFull(error.cause)
  );
}
