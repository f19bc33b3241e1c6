import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

import { once } from "./once.ts";

/** A file system in memory, on Linux. */
const MEMORY = "/dev/shm";

/** More than the files of all runtimes of a run. */
const ROOM_BYTES = 8 * 2 ** 30;

/**
 * Keep the files of runtimes in memory if there is room: otherwise each write of an object waits for the disk. Returns the
 * usual folder of temporary files, for tests that install or execute some.
 */
export function keepRuntimesInMemory(): string {
  return once("temporary folder", () => {
    const usual = tmpdir();
    if (freeIn(MEMORY) >= ROOM_BYTES) process.env["TMPDIR"] = MEMORY;
    return usual;
  });
}

function freeIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
