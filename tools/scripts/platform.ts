import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { extname, join } from "node:path";
import { promisify } from "node:util";

import { isRuntime } from "./local/guard.ts";
import { listeningAddress, localUrl } from "./local/listening.ts";
import { freePort } from "./local/ports.ts";

/** Beside this file, as source or as build output. */
const START = `start${extname(import.meta.filename)}`;

const START_TIMEOUT_MS = 180_000;

/** A platform in a separate process, started like `npm start`. */
export type RunningPlatform = {
  /** Base URL of the API; ends in `/v1`. */
  url: string;
  apiKey: string;
  /** The token of the operator API. */
  adminToken: string;
  /** The leading process; the runtime is among its children. */
  pid: number;
  /** End it like Ctrl-C. */
  stop: () => Promise<void>;
  /** `kill -9` it together with its runtime. */
  kill: () => Promise<void>;
};

/** Start the platform on a state folder; once this resolves, it serves. Port 0 is any free one. */
export async function startPlatform(options: {
  stateDir: string;
  port?: number;
  /** Further settings of `npm start`. */
  variables?: Record<string, string>;
}): Promise<RunningPlatform> {
  const port = options.port || (await freePort());
  const apiKey = randomBytes(24).toString("hex");
  const adminToken = options.variables?.["ADMIN_TOKEN"] ?? randomBytes(24).toString("hex");
  const child = spawnScript(join(import.meta.dirname, START), {
    PORT: String(port),
    STATE_DIR: options.stateDir,
    DEV_API_KEY: apiKey,
    ADMIN_TOKEN: adminToken,
    // Drivers here send faster than a client may.
    RATE_LIMIT: "0",
    // The lines for each run have no reader here.
    EVENT_LINES: "false",
    // Nothing here needs the rest of its work.
    DRAIN_SECONDS: "2",
    ...options.variables,
  });
  const { stop, kill } = endings(child);
  try {
    await untilReady(child);
  } catch (error) {
    await kill();
    throw error;
  }
  const { pid } = child;
  if (pid === undefined) throw new Error("The platform has no process");
  const host = listeningAddress(options.variables?.["HOST"]);
  return { url: `${localUrl(host, port)}/v1`, apiKey, adminToken, pid, stop, kill };
}

/** The ids of the processes that run a platform's user code now. */
export async function sandboxesOf({ pid }: Pick<RunningPlatform, "pid">): Promise<number[]> {
  return childrenOf(pid, (args) =>
    /wellspring-sandboxes-[^/]+\/\d+\.capnp$/.test(args.at(-1) ?? ""),
  );
}

/** The id of the process of a platform's bundler; undefined while it restarts. */
export async function bundlerOf({
  pid,
}: Pick<RunningPlatform, "pid">): Promise<number | undefined> {
  const [bundler] = await childrenOf(
    pid,
    (args) => args.at(-1)?.endsWith("/bundler.capnp") ?? false,
  );
  return bundler;
}

/** The ids of all runtimes of a platform: its own, and those of the bundler and of user code. */
export function runtimesOf({ pid }: Pick<RunningPlatform, "pid">): Promise<number[]> {
  return childrenOf(pid, ([file = ""]) => isRuntime(file));
}

async function childrenOf(pid: number, isMeant: (args: string[]) => boolean): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,args="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => parent === String(pid) && isMeant(args))
    .map(([child]) => Number(child));
}

/** Run a script that reports when it is ready and ends when we do, in a separate process group. */
export function spawnScript(file: string, environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", file], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    detached: true,
  });
}

/** Wait for the message that a script of ours sends once it serves. */
export async function untilReady(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The process ended with ${code} before it was ready`);
  });
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  await Promise.race([once(child, "message", { signal: timeout }), ended]);
  ended.catch(() => {});
}

/** Two ways to end a script of ours; each resolves when its process has exited. */
export function endings(child: ChildProcess): Pick<RunningPlatform, "stop" | "kill"> {
  const end = async (send: (pid: number) => void) => {
    const { pid } = child;
    if (pid === undefined || hasEnded(child)) return;
    const exit = once(child, "exit");
    send(pid);
    await exit;
  };
  return {
    stop: () => end((pid) => process.kill(pid, "SIGTERM")),
    kill: async () => {
      const { pid } = child;
      if (pid === undefined || hasEnded(child)) return;
      // Each runtime has a separate process group.
      const runtimes = await runtimesOf({ pid });
      await end(() => {
        for (const each of [pid, ...runtimes]) killGroup(each);
      });
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It ended meanwhile, or is no leader and was killed with its group.
  }
}
