import childProcess, { type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { basename } from "node:path";

/** To whom Miniflare has workerd speak RPC on every socket: to anybody who knows this name. */
const WELL_KNOWN = "miniflare-unsafe-internal-capnp-connect";

/** The name that replaces it: as long, and known only to the processes of this run. */
export const RPC_HOST = randomBytes(WELL_KNOWN.length).toString("hex").slice(0, WELL_KNOWN.length);

/**
 * Close the RPC of each workerd that is started from now on to everybody who does not know `RPC_HOST`: by it one may
 * call a Worker's queue and cron handlers. Miniflare has no option for the name, so it is replaced in what it writes.
 */
export function closeRpc(): void {
  const { spawn } = childProcess;
  const spawnClosed = (...given: Parameters<typeof spawn>): ChildProcess => {
    const child = spawn(...given);
    if (!basename(child.spawnfile).startsWith("workerd") || !child.stdin) return child;
    const { stdin } = child;
    const write = stdin.write.bind(stdin);
    stdin.write = (config: Uint8Array) => write(closed(config));
    return child;
  };
  Object.assign(childProcess, { spawn: spawnClosed });
}

function closed(config: Uint8Array): Buffer {
  const bytes = Buffer.from(config);
  for (let at = bytes.indexOf(WELL_KNOWN); at !== -1; at = bytes.indexOf(WELL_KNOWN, at + 1))
    bytes.write(RPC_HOST, at);
  return bytes;
}
