import { setTimeout as wait } from "node:timers/promises";

import type { V4WorkerOptions } from "miniflare";

const POLL_MS = 50;

/** A runtime that does not respond within this time has no work that would end. */
const ANSWER_MS = 1000;

/** How long the answers of ended requests may take to their clients. */
const FLUSH_MS = 200;

type UnderWay = { requests: number; runs: number };

/** Options of a drain: the port and token for querying the runtime's work, and how long that may take to end. */
export type DrainOptions = { port: number; adminToken: string; withinMs: number };

/** The socket by which a runtime is drained. */
export function drainSocket(port: number): NonNullable<V4WorkerOptions["unsafeDirectSockets"]>[0] {
  return { host: "127.0.0.1", port, entrypoint: "Lifecycle" };
}

/**
 * Wait until a runtime has responded to its open requests, then stop new runs, and wait for those under
 * way. Resolves to what is left when the time is up; to undefined where the runtime does not answer. Never rejects.
 */
export async function drain(options: DrainOptions): Promise<UnderWay | undefined> {
  const untilMs = Date.now() + options.withinMs;
  // A run that a request waits for may not have begun yet.
  const open = await untilNone("GET", ({ requests }) => requests, { ...options, untilMs });
  const left = await untilNone("DELETE", ({ runs }) => runs, { ...options, untilMs });
  await wait(FLUSH_MS);
  return open && left && { requests: open.requests, runs: left.runs };
}

async function untilNone(
  method: "GET" | "DELETE",
  countOf: (work: UnderWay) => number,
  { port, adminToken, untilMs }: DrainOptions & { untilMs: number },
): Promise<UnderWay | undefined> {
  for (;;) {
    const work = await ask(method, port, adminToken);
    if (!work || countOf(work) === 0 || Date.now() >= untilMs) return work;
    await wait(POLL_MS);
  }
}

async function ask(
  method: "GET" | "DELETE",
  port: number,
  adminToken: string,
): Promise<UnderWay | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method,
      headers: { authorization: `Bearer ${adminToken}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own entrypoint answers.
    return (await response.json()) as UnderWay;
  } catch {
    return undefined;
  }
}
