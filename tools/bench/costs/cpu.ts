import { readdir, readFile } from "node:fs/promises";

/** Linux counts CPU time of processes in hundredths of a second on every machine. */
const MS_PER_TICK = 10;

/** CPU milliseconds of all runtimes that this process started, until now; undefined if the system reports none. */
export type CpuReading = { atMs: number; cpuMs: number | undefined };

export async function readCpu(): Promise<CpuReading> {
  const atMs = performance.now();
  try {
    const times = await Promise.all((await childrenOf(process.pid)).map(cpuMsOf));
    return { atMs, cpuMs: times.reduce((sum, ms) => sum + ms, 0) };
  } catch {
    return { atMs, cpuMs: undefined };
  }
}

export function spentBetween(from: CpuReading, to: CpuReading): number | undefined {
  return to.cpuMs === undefined || from.cpuMs === undefined ? undefined : to.cpuMs - from.cpuMs;
}

async function childrenOf(pid: number): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "utf8")),
  );
  return lists.flatMap((list) => list.split(" ").filter((child) => child !== ""));
}

/** The process `workerd` has threads of that name; fields 14 and 15 of its line are user and kernel mode times. */
async function cpuMsOf(pid: string): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8");
  const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(line) ?? [];
  if (!name.startsWith("workerd")) return 0;
  const fields = rest.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
