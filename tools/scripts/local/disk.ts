import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Response } from "miniflare";

import { Refusal } from "./refusal.ts";

/** Room for a new database and the journals of a first start. */
const PROBE_BYTES = 4 * 1024 * 1024;

/** Less than any write that is worth a response. */
const WRITE_BYTES = 256 * 1024;

/** The time for which a full disk counts as such: each check is a write. */
const FULL_MS = 1000;

/** Reports to the platform whether a state folder has space: 204, or 507. */
export function diskService(stateDir: string): () => Response {
  let fullMs = 0;
  return () => {
    const isStillFull = Date.now() - fullMs < FULL_MS;
    const status = isStillFull ? 507 : statusOf(stateDir);
    if (status === 507 && !isStillFull) fullMs = Date.now();
    return new Response(null, { status });
  };
}

function statusOf(stateDir: string): 204 | 507 {
  try {
    requireFreeSpace(stateDir, WRITE_BYTES);
    return 204;
  } catch (error) {
    if (isDiskFull(error)) return 507;
    throw error;
  }
}

/** Throw unless a state folder has space for a start: otherwise the runtime fails later, with an obscure error. */
export function requireFreeSpace(stateDir: string, bytes = PROBE_BYTES): void {
  const file = join(stateDir, "probe.tmp");
  try {
    // Written rather than queried, so that quotas count too.
    writeFileSync(file, Buffer.alloc(bytes), { flush: true });
  } finally {
    rmSync(file, { force: true });
  }
}

/** The errors of a folder that this user cannot write to. */
const UNWRITABLE = new Set(["EROFS", "EACCES", "EPERM"]);

/** An error as a refusal if its cause is a full disk or an unwritable state folder; any other error unchanged. */
export function explainDisk(error: unknown, stateDir: string): unknown {
  if (isDiskFull(error))
    return new Refusal(`The disk of ${stateDir} is full. Free some space and start again`);
  const [code, path] = ["code", "path"].map((name) => String(Reflect.get(Object(error), name)));
  if (code !== undefined && UNWRITABLE.has(code) && path?.startsWith(stateDir))
    return new Refusal(`STATE_DIR ${stateDir} cannot be written: ${code}`);
  return error;
}

/** Whether a file system, SQLite or D1 failed because the disk is full. */
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
