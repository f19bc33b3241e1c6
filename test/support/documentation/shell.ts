import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import type { RunningPlatform } from "../../../tools/scripts/platform.ts";
import type { Block } from "./blocks.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The stage of blocks: the platform, with its state folder, and the other targets of the pages. */
export type Stage = {
  platform: RunningPlatform;
  userId: string;
  stateDir: string;
  scratch: string;
  receiverPort: number;
};

/** The preconditions of a page. A response with an error status fails its block. */
const PRELUDE = `
set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body "$@"; }
export AUTH="authorization: Bearer $API_KEY" JSON="content-type: application/json"
field() { node -p 'process.argv[1].split(".").reduce((o, k) => o[k], JSON.parse(fs.readFileSync(0)).data)' "$1"; }
`;

/** Run the shell blocks of a page in one shell, in order, after those of the pages that it builds on. Returns output. */
export async function runShell(blocks: readonly Block[], stage: Stage): Promise<string> {
  const script = [PRELUDE, ...blocks.map((block) => textOf(block, stage))].join("\n");
  const { platform, stateDir, userId } = stage;
  const child = spawn("bash", ["-c", script], {
    cwd: ROOT,
    // A separate group: processes that a block leaves running end with it.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      BASE: platform.url,
      API_KEY: platform.apiKey,
      KEY: platform.apiKey,
      ADMIN_TOKEN: platform.adminToken,
      USER_ID: userId,
      STATE_DIR: stateDir,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child, "exit");
  try {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  } catch {
    // No process is running.
  }
  if (code !== 0) throw new Error(`A block ended with ${code}:\n${output.slice(-3000)}`);
  return output;
}

/** A block in its executed form: with this platform, this receiver and a folder of this test. */
function textOf({ place, text }: Block, { platform, receiverPort, scratch }: Stage): string {
  const local = text
    .replaceAll(/^export API_KEY=….*$/gm, ":")
    .replaceAll("http://127.0.0.1:8787", new URL(platform.url).origin)
    .replaceAll(/(127\.0\.0\.1:|PORT=)9000\b/g, `$1${receiverPort}`)
    // A person is slower than a process that starts, …
    .replaceAll(
      "examples/receiver.js &",
      `examples/receiver.js & until (: < /dev/tcp/127.0.0.1/${receiverPort}) 2>/dev/null; do sleep 0.1; done`,
    )
    // … and than a delivery on a busy machine.
    .replaceAll(
      /\bsleep 1$/gm,
      `for _ in $(seq 300); do curl -s "$BASE/webhooks/$WEBHOOK_ID/deliveries" -H "$AUTH" | grep -q '"delivered"' && break; sleep 0.1; done`,
    )
    .replaceAll("--to backups/", `--to ${scratch}/`);
  return `echo "== ${place}"\n${local}`;
}
