import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** The resource usage of a platform. */
export type Footprint = {
  memoryMb: number;
  descriptors: number;
  files: number;
  diskKb: number;
};

/** Measure a process with its descendants, and its state folder. Reads /proc, so it needs Linux. */
export async function footprintOf(pid: number, stateDir: string): Promise<Footprint> {
  const pids = await familyOf(pid);
  const processes = await Promise.all(pids.map(measureProcess));
  const sizes = await fileSizes(stateDir);
  return {
    memoryMb: sum(processes.map(({ memoryMb }) => memoryMb)),
    descriptors: sum(processes.map(({ descriptors }) => descriptors)),
    files: sizes.length,
    diskKb: sum(sizes) / 1024,
  };
}

/** A process and its descendants. */
async function familyOf(pid: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map(
    await Promise.all(pids.map(async (one) => [one, await parentOf(one)] as const)),
  );
  const isOfFamily = (one: number | undefined): boolean =>
    one === pid || (one !== undefined && one > 1 && isOfFamily(parents.get(one)));
  return pids.filter(isOfFamily);
}

async function parentOf(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in parentheses may contain anything, so the fields after it are counted.
  const [, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return parent === undefined ? undefined : Number(parent);
}

async function measureProcess(pid: number): Promise<{ memoryMb: number; descriptors: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return { memoryMb: Number(kilobytes) / 1024, descriptors: descriptors.length };
}

async function fileSizes(dir: string): Promise<number[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  // Files come and go while the platform runs.
  return Promise.all(
    files.map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    ),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
