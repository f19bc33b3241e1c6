import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";

import { type Connection, DEFAULT_URL, localKey } from "../connection.ts";
import { Failure } from "../failure.ts";
import { platformRoot, stateFolder } from "../places.ts";
import { during } from "../terminal/progress.ts";
import { NODE_FLAGS, nodeFor } from "./node.ts";

const START_TIMEOUT_MS = 180_000;

/** Lines of its log that are shown if it does not start. */
const LINES_SHOWN = 5;

/** A platform that this command starts and ends. */
export type StartedPlatform = {
  connection: Connection;
  stop: () => Promise<void>;
  /** Calls a function each time that code holds up its process: long before its run is given up. */
  onSilence: (call: () => void) => void;
};

/** Its log line of that. */
const SILENT = "A sandbox process did not yield";

/** Start a platform on the state folder, at `wanted` if it is given; resolves when it responds. */
export function startPlatform(wanted?: number): Promise<StartedPlatform> {
  return during("Starting a platform", async () => {
    const port = await portFor(wanted?.toString() ?? process.env["PORT"]);
    const child = spawnPlatform(port);
    const log = lastLines(child);
    try {
      await untilReady(child);
    } catch (error) {
      child.kill("SIGKILL");
      if (error instanceof Failure) throw new Failure(error.message, { details: log() });
      throw error;
    }
    const apiKey = await localKey();
    if (!apiKey) throw new Failure(`The platform wrote no key to ${stateFolder()}`);
    const connection = { url: `http://127.0.0.1:${port}`, apiKey };
    const onSilence = (call: () => void): void => {
      child.stderr?.on("data", (text: string) => {
        if (text.includes(SILENT)) call();
      });
    };
    return { connection, stop: () => stop(child), onSilence };
  });
}

/** The wanted port; else the default one, unless it is in use. */
async function portFor(wanted: string | undefined): Promise<string> {
  if (wanted && wanted !== "0") return wanted;
  const { port } = new URL(DEFAULT_URL);
  return wanted !== "0" && (await isFree(Number(port))) ? port : String(await freePort());
}

function spawnPlatform(port: string): ChildProcess {
  const platform = platformRoot();
  if (!platform)
    throw new Failure("This package contains no platform", {
      next: "set WELLSPRING_URL to a running one",
    });
  const script = join(
    platform.root,
    platform.isBuilt ? "tools/scripts/local/start.js" : "tools/scripts/start.ts",
  );
  return spawn(nodeFor(platform.root), [...NODE_FLAGS, script], {
    cwd: platform.root,
    env: {
      DRAIN_SECONDS: "2",
      ...process.env,
      PORT: port,
      STATE_DIR: stateFolder(),
      STARTED_BY: "wellspring dev",
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Ctrl-C signals all processes of a terminal: this command first deletes its source.
    detached: true,
  });
}

async function untilReady(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit").then(() => {
    throw new Failure("The platform did not start");
  });
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  await Promise.race([once(child, "message", { signal }), ended]);
  ended.catch(() => {});
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

/** Drain its log; its last lines contain the reason if it does not start. */
function lastLines({ stdout, stderr }: ChildProcess): () => string[] {
  let text = "";
  for (const stream of [stdout, stderr])
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(-10_000);
    });
  return () => text.trim().split("\n").slice(-LINES_SHOWN);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || !address) throw new Error("A port has no number");
  return address.port;
}
