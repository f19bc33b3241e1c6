import { spawn } from "node:child_process";
import { join } from "node:path";

import { Refusal } from "../local/refusal.ts";
import { ROOT } from "../local/settings.ts";

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const SAID_LENGTH = 3000;

type Run = { ok: boolean; output: string; said: string };

/** Run the pinned wrangler and return what it prints; a failure says what it was for and how it ended. */
export async function wrangler(
  task: string,
  args: readonly string[],
  environment: Record<string, string | undefined> = {},
): Promise<string> {
  const { ok, output, said } = await run(args, environment);
  if (ok) return output;
  const next = "Put that right, then run the same command again; what is there already is kept.";
  throw new Refusal(`wrangler did not ${task}:\n${said.slice(-SAID_LENGTH).trim()}\n${next}`);
}

function run(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<Run> {
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
    child.on("close", (code) => resolve({ ok: code === 0, output, said }));
  });
}
