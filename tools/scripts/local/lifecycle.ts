import { randomBytes } from "node:crypto";

import type { V4WorkerOptions } from "miniflare";

import { INNER_HOST } from "./inner-host.ts";
import { freePort } from "./ports.ts";

/** The timeout of a sweep and of an object's recovery. */
const TIMEOUT_MS = 300_000;

/** The port and the token for operating a runtime from outside. */
export type LifecycleAddress = { port: number; token: string };

/** A new address, at a free port. */
export async function newLifecycleAddress(): Promise<LifecycleAddress> {
  return { port: await freePort(), token: randomBytes(24).toString("hex") };
}

/** Options of the Worker that listens at the address. */
export function lifecycleOptions({ port, token }: LifecycleAddress): {
  socket: NonNullable<V4WorkerOptions["unsafeDirectSockets"]>[0];
  bindings: Record<string, string>;
} {
  return {
    socket: { host: INNER_HOST, port, entrypoint: "Lifecycle" },
    bindings: { LIFECYCLE_TOKEN: token },
  };
}

/**
 * Send a request to a runtime. Throws unless it succeeds in time.
 *
 * Miniflare's own proxies of bindings block this process until the runtime responds, and the runtime blocks once it has
 * written more lines of its log than this process has read: both would wait forever.
 */
export async function requestLifecycle(
  { port, token }: LifecycleAddress,
  path: string,
  { method, timeoutMs = TIMEOUT_MS }: { method: string; timeoutMs?: number },
): Promise<Response> {
  const response = await fetch(`http://${INNER_HOST}:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`);
  return response;
}
