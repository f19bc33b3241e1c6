import { setTimeout as wait } from "node:timers/promises";

import { type LifecycleAddress, requestLifecycle } from "./lifecycle.ts";

const POLL_MS = 50;

/** A runtime that does not respond within this time has no work that would end. */
const ANSWER_MS = 1000;

/** The maximum time for the responses of ended requests to reach their clients. */
const FLUSH_MS = 200;

type UnderWay = { requests: number; runs: number };

/** Options of a drain: the runtime's address, and the timeout of its work. */
export type DrainOptions = { address: LifecycleAddress; withinMs: number };

/**
 * Wait until a runtime has responded to its open requests, then stop new runs, and wait for the running ones. Resolves
 * to the remaining work on a timeout; to undefined if the runtime does not respond. Never rejects.
 */
export async function drain(options: DrainOptions): Promise<UnderWay | undefined> {
  const untilMs = Date.now() + options.withinMs;
  // The run of a waiting request may not have begun yet.
  const open = await untilNone("GET", ({ requests }) => requests, { ...options, untilMs });
  const left = await untilNone("DELETE", ({ runs }) => runs, { ...options, untilMs });
  await wait(FLUSH_MS);
  return open && left && { requests: open.requests, runs: left.runs };
}

async function untilNone(
  method: "GET" | "DELETE",
  countOf: (work: UnderWay) => number,
  { address, untilMs }: DrainOptions & { untilMs: number },
): Promise<UnderWay | undefined> {
  for (;;) {
    const work = await request(method, address);
    if (!work || countOf(work) === 0 || Date.now() >= untilMs) return work;
    await wait(POLL_MS);
  }
}

async function request(
  method: "GET" | "DELETE",
  address: LifecycleAddress,
): Promise<UnderWay | undefined> {
  try {
    const response = await requestLifecycle(address, "/", { method, timeoutMs: ANSWER_MS });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own entrypoint answers.
    return (await response.json()) as UnderWay;
  } catch {
    return undefined;
  }
}
