import { spawn } from "node:child_process";
import { join } from "node:path";

import { Refusal } from "../local/refusal.ts";
import { ROOT } from "../local/settings.ts";

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const LOG_LENGTH = 3000;

/** Wrangler itself has no timeout for an API that does not respond. */
const TIMEOUT_MS = 5 * 60_000;

/** The pauses before the retries of a command that may succeed the next time. */
const PAUSES_MS = [2000, 10_000];

/** A status in wrangler's wording, but no size, duration or line of a stack trace. */
const PASSING_STATUS =
  /(?:-> |- |\bHTTP |\bstatus(?: code)?:? |\breturned |\bresponse:? )(?:429|5\d\d)(?![.\w]| ?(?:[KMG]i?B|bytes|ms)\b)/i;

/** Messages of wrangler when it cannot reach the API. */
const PASSING =
  /fetch failed|timed? ?out|ECONNRESET|ECONNREFUSED|EPIPE|socket|other side closed|terminated|malformed response|internal error|unknown error|rate limit/i;

/** Whether wrangler's message is about the API or the network, not about its command. */
export function mayPass(log: string): boolean {
  return PASSING_STATUS.test(log) || PASSING.test(log);
}

type Run = { ok: boolean; output: string; log: string };
type Variables = Record<string, string | undefined>;

/** The timeout of one command, and the pauses before its retries. */
export type WranglerTimeouts = { timeoutMs: number; pausesMs: readonly number[] };

/** Run the pinned wrangler and return its output; an error states the task and the failure. */
export async function wrangler(
  task: string,
  args: readonly string[],
  environment: Variables = {},
  timeoutMs = TIMEOUT_MS,
): Promise<string> {
  const { ok, output, log } = await run(args, environment, timeoutMs);
  if (ok) return output;
  const next = "Fix that, then run the same command again; existing resources stay.";
  throw new Refusal(`wrangler did not ${task}:\n${log.slice(-LOG_LENGTH).trim()}\n${next}`);
}

/** Run a repeatable command of wrangler, with retries if the API was out of order. */
export async function wranglerPatiently(
  task: string,
  args: readonly string[],
  { environment, timeouts = { timeoutMs: TIMEOUT_MS, pausesMs: PAUSES_MS } }: Repeating,
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await wrangler(task, args, environment, timeouts.timeoutMs);
    } catch (error) {
      const pauseMs = timeouts.pausesMs[attempt];
      if (pauseMs === undefined || !(error instanceof Refusal) || !mayPass(error.message))
        throw error;
      await new Promise((done) => setTimeout(done, pauseMs));
    }
  }
}

/** The environment of wrangler, and its timeout and retries. */
export type Repeating = { environment: Variables; timeouts?: WranglerTimeouts | undefined };

function run(args: readonly string[], environment: Variables, timeoutMs: number): Promise<Run> {
  const child = spawn(process.execPath, [WRANGLER, ...args], {
    cwd: ROOT,
    // Without a terminal it prompts for nothing, and uses its defaults.
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...environment,
      CI: "true",
      WRANGLER_SEND_METRICS: "false",
      NO_COLOR: "1",
    },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // It passes this signal on to the process that does its work; killed, it would leave that behind with our pipes.
    child.kill("SIGTERM");
  }, timeoutMs);
  let output = "";
  let log = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    log += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      if (isLate) log += `\nIt timed out after ${timeoutMs / 1000} s.`;
      resolve({ ok: code === 0 && !isLate, output, log });
    });
  });
}
