import childProcess, { type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { basename } from "node:path";

import { INNER_HOST } from "./inner-host.ts";

/** The host name for which Miniflare's workerd opens RPC on every socket, to every client. */
const WELL_KNOWN = "miniflare-unsafe-internal-capnp-connect";

/** The name that replaces it: of the same length, and known only to the processes of this run. */
export const RPC_HOST = randomBytes(WELL_KNOWN.length).toString("hex").slice(0, WELL_KNOWN.length);

/**
 * Limit the RPC of each workerd that starts from now on to clients that know `RPC_HOST`: RPC calls a Worker's queue and
 * cron handlers. Miniflare's own entry, which forwards requests past the front, moves to `INNER_HOST`. Miniflare has no
 * options for both, so its configuration and its arguments are rewritten.
 */
export function closeRpc(): void {
  const { spawn } = childProcess;
  const spawnClosed = (...given: Parameters<typeof spawn>): ChildProcess => {
    const [command, args, options] = given;
    // Others may pass options in place of arguments.
    const child = spawn(command, Array.isArray(args) ? args.map(onInnerHost) : args, options);
    if (!basename(child.spawnfile).startsWith("workerd") || !child.stdin) return child;
    const { stdin } = child;
    const write = stdin.write.bind(stdin);
    stdin.write = (config: Uint8Array) => write(closed(config));
    return child;
  };
  Object.assign(childProcess, { spawn: spawnClosed });
}

function onInnerHost(argument: string): string {
  return argument.replace(/^(--socket-addr=\w+=)127\.0\.0\.1:/, `$1${INNER_HOST}:`);
}

function closed(config: Uint8Array): Buffer {
  const bytes = Buffer.from(config);
  for (let at = bytes.indexOf(WELL_KNOWN); at !== -1; at = bytes.indexOf(WELL_KNOWN, at + 1))
    bytes.write(RPC_HOST, at);
  return bytes;
}
