import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { constants, getPriority, setPriority } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A workerd of ours, without Miniflare. */
export type Workerd = {
  pid: number;
  /** Resolves when it has ended, to the signal that ended it; null: it exited by itself. */
  ended: Promise<NodeJS.Signals | null>;
  kill(): void;
};

/** A line of its log. */
export type LogLine = { level: string; message: string };

/** A process that does not listen after this time never will; with a lower priority it may wait for others. */
const START_MS = 30_000;
const BACKGROUND_START_MS = 300_000;

/** The niceness of the lowest priority. */
const MAX_NICENESS = constants.priority.PRIORITY_LOW;

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

/**
 * Start workerd on a configuration file; resolves when it listens. Rejects if it exits before that, or times out.
 * `niceness`: added to that of this process.
 */
export async function startWorkerd(
  config: string,
  { niceness, onLine }: { niceness: number; onLine: (line: LogLine) => void },
): Promise<Workerd> {
  const binary = process.env["MINIFLARE_WORKERD_PATH"] ?? FROM_MINIFLARE("workerd").default;
  const child = spawn(binary, ["serve", "--experimental", "--control-fd=3", config], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { ...inherited(), TZ: "UTC" },
    // Ctrl-C signals all processes of a terminal: this one ends its runs first.
    detached: true,
  });
  // At once: threads inherit it from the one that starts them.
  if (niceness > 0) yieldToOthers(child.pid, niceness);
  const ended = once(child, "exit").then(([, signal]: (NodeJS.Signals | null)[]) => signal ?? null);
  for (const stream of [child.stdout, child.stderr]) follow(stream, onLine);
  try {
    await Promise.race([
      listening(child, niceness > 0 ? BACKGROUND_START_MS : START_MS),
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

/** Lower the priority of a process. Without the permission it keeps its own. */
function yieldToOthers(pid: number | undefined, niceness: number): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(MAX_NICENESS, getPriority(pid) + niceness));
  } catch {
    return;
  }
  // Linux may schedule sessions as groups, among which only their own niceness counts.
  writeFile(`/proc/${pid}/autogroup`, String(niceness)).catch(() => {});
}

function inherited(): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of Object.keys(environment))
    if (!INHERITED.has(name)) environment[name] = undefined;
  return environment;
}

async function listening({ stdio }: ChildProcess, withinMs: number): Promise<void> {
  const signal = AbortSignal.timeout(withinMs);
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
