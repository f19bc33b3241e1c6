import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A workerd of ours, without Miniflare. */
export type Workerd = {
  pid: number;
  /** Resolves when it has ended, for any reason. */
  ended: Promise<void>;
  kill(): void;
};

/** A line of its log. */
export type LogLine = { level: string; message: string };

/** A process that does not listen after this time never will. */
const START_MS = 30_000;

/** The variables that it inherits of our environment, which also contains secrets. */
const INHERITED = new Set([
  "PATH",
  "HOME",
  "TMPDIR",
  "LANG",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "LD_LIBRARY_PATH",
]);

const FROM_MINIFLARE = createRequire(import.meta.resolve("miniflare"));

/** Start workerd on a configuration file; resolves when it listens. Rejects if it exits before that, or times out. */
export async function startWorkerd(
  config: string,
  onLine: (line: LogLine) => void,
): Promise<Workerd> {
  const binary = process.env["MINIFLARE_WORKERD_PATH"] ?? FROM_MINIFLARE("workerd").default;
  const child = spawn(binary, ["serve", "--experimental", "--control-fd=3", config], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { ...inherited(), TZ: "UTC" },
    // Ctrl-C signals all processes of a terminal: this one ends its runs first.
    detached: true,
  });
  const ended = once(child, "exit").then(() => undefined);
  for (const stream of [child.stdout, child.stderr]) follow(stream, onLine);
  try {
    await Promise.race([
      listening(child),
      ended.then(() => {
        throw new Error("A sandbox process exited during its start");
      }),
    ]);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return { pid: child.pid ?? 0, ended, kill: () => child.kill("SIGKILL") };
}

function inherited(): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of Object.keys(environment))
    if (!INHERITED.has(name)) environment[name] = undefined;
  return environment;
}

async function listening({ stdio }: ChildProcess): Promise<void> {
  const signal = AbortSignal.timeout(START_MS);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `stdio` above makes it a pipe.
  await once(stdio[3] as Readable, "data", { signal });
}

function follow(stream: Readable | null, onLine: (line: LogLine) => void): void {
  if (!stream) return;
  createInterface({ input: stream }).on("line", (text) => onLine(lineIn(text)));
}

function lineIn(text: string): LogLine {
  try {
    const { level, message } = JSON.parse(text);
    return { level: String(level), message: String(message) };
  } catch {
    return { level: "error", message: text };
  }
}

/** Bytes of a process' memory; undefined if the system does not report it. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
