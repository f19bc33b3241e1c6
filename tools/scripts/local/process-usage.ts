import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Linux counts CPU time in hundredths of a second for every program, on all architectures. */
const TICK_MS = 10;

/** The fields of `/proc/<pid>/stat` after the command's name: user and system time are the 12th and 13th of them. */
const CPU_FIELDS = [11, 12] as const;

/** Bytes of a process' memory; undefined if it has ended, or the system reports neither files nor `ps`. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  const kilobytes = status
    ? /^VmRSS:\s+(\d+)/m.exec(status)?.[1]
    : await reportOf(pid, "rss").then((text) => /^\d+$/.exec(text)?.[0]);
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Milliseconds of CPU time that a process has used so far, in all threads; undefined as for `memoryOf`. */
export async function cpuTimeOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined) return millisecondsIn(await reportOf(pid, "time"));
  // The command's name is in brackets, and may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return CPU_FIELDS.reduce((sum, field) => sum + Number(fields[field]), 0) * TICK_MS;
}

/** One column of `ps` about a process; empty if there is none. */
export async function reportOf(pid: number, column: "rss" | "time"): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", `${column}=`, "-p", String(pid)]);
    return stdout.trim();
  } catch {
    return "";
  }
}

/** Milliseconds in the CPU time that `ps` prints: `[[days-]hours:]minutes:seconds[.hundredths]`. */
export function millisecondsIn(text: string): number | undefined {
  const match = /^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text);
  if (!match) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000);
}
