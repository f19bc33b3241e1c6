import { spawn } from "node:child_process";
import { join } from "node:path";

import { Refusal } from "../local/refusal.ts";
import { ROOT } from "../local/settings.ts";

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const SAID_LENGTH = 3000;

/** It never gives up on an API that does not answer. */
const TIMEOUT_MS = 5 * 60_000;

/** The wait before each further try of a command that may go well the next time. */
const PAUSES_MS = [2000, 10_000];

/** A status as wrangler words it, and no size, duration or line of a stack trace. */
const PASSING_STATUS =
  /(?:-> |- |\bHTTP |\bstatus(?: code)?:? |\breturned |\bresponse:? )(?:429|5\d\d)(?![.\w]| ?(?:[KMG]i?B|bytes|ms)\b)/i;

/** Messages of wrangler when it cannot reach the API. */
const PASSING =
  /fetch failed|timed? ?out|ECONNRESET|ECONNREFUSED|EPIPE|socket|other side closed|terminated|malformed response|internal error|unknown error|rate limit/i;

/** Whether what wrangler says is about the API or the way there, and not about what it was asked to do. */
export function mayPass(said: string): boolean {
  return PASSING_STATUS.test(said) || PASSING.test(said);
}

type Run = { ok: boolean; output: string; said: string };
type Variables = Record<string, string | undefined>;

/** How long one command may take, and the wait before each further try. */
export type WranglerPatience = { timeoutMs: number; pausesMs: readonly number[] };

/** Run the pinned wrangler and return what it prints; a failure says what it was for and how it ended. */
export async function wrangler(
  task: string,
  args: readonly string[],
  environment: Variables = {},
  timeoutMs = TIMEOUT_MS,
): Promise<string> {
  const { ok, output, said } = await run(args, environment, timeoutMs);
  if (ok) return output;
  const next = "Put that right, then run the same command again; what is there already is kept.";
  throw new Refusal(`wrangler did not ${task}:\n${said.slice(-SAID_LENGTH).trim()}\n${next}`);
}

/** Run a command of wrangler that may be repeated, again where the API was out of order. */
export async function wranglerPatiently(
  task: string,
  args: readonly string[],
  { environment, patience = { timeoutMs: TIMEOUT_MS, pausesMs: PAUSES_MS } }: Repeating,
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await wrangler(task, args, environment, patience.timeoutMs);
    } catch (error) {
      const pauseMs = patience.pausesMs[attempt];
      if (pauseMs === undefined || !(error instanceof Refusal) || !mayPass(error.message))
        throw error;
      await new Promise((done) => setTimeout(done, pauseMs));
    }
  }
}

/** Whose wrangler runs, and how patiently. */
export type Repeating = { environment: Variables; patience?: WranglerPatience | undefined };

function run(args: readonly string[], environment: Variables, timeoutMs: number): Promise<Run> {
  const child = spawn(process.execPath, [WRANGLER, ...args], {
    cwd: ROOT,
    // Without a terminal it asks nothing, and takes what it would have proposed.
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...environment,
      CI: "true",
      WRANGLER_SEND_METRICS: "false",
      NO_COLOR: "1",
    },
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  let output = "";
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    said += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal !== null) said += `\nIt timed out after ${timeoutMs / 1000} s.`;
      resolve({ ok: code === 0, output, said });
    });
  });
}
