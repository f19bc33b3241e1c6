import { readdir, statfs } from "node:fs/promises";

import { Response } from "miniflare";

import type { MachineFigures } from "#telemetry/machine-metrics.ts";

import type { BundlerProcess } from "./bundler-process.ts";
import { runtimePid } from "./guard.ts";
import { memoryOf } from "./process-usage.ts";

/** Reports to the platform the figures of its processes, and of the disk with its state folder. */
export function machineService(
  stateDir: string,
  bundler: Pick<BundlerProcess, "pid">,
): () => Promise<Response> {
  return async () =>
    Response.json(
      await figuresOf(stateDir, {
        supervisor: process.pid,
        runtime: runtimePid(),
        bundler: bundler.pid(),
      }),
    );
}

async function figuresOf(
  stateDir: string,
  pids: Record<string, number | undefined>,
): Promise<MachineFigures> {
  const { bavail, bsize } = await statfs(stateDir);
  return {
    uptimeSeconds: process.uptime(),
    diskFreeBytes: bavail * bsize,
    memoryBytes: await ofEach(pids, memoryOf),
    openFiles: await ofEach(pids, openFilesOf),
  };
}

/** A figure of each running process, without those that the system does not report. */
async function ofEach(
  pids: Record<string, number | undefined>,
  read: (pid: number) => Promise<number | undefined>,
): Promise<Record<string, number>> {
  const entries = await Promise.all(
    Object.entries(pids).map(async ([name, pid]) => [name, pid && (await read(pid))] as const),
  );
  return Object.fromEntries(
    entries.flatMap(([name, figure]) => (figure === undefined ? [] : [[name, figure]])),
  );
}

/** Undefined except on Linux. */
async function openFilesOf(pid: number): Promise<number | undefined> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  return names?.length;
}
