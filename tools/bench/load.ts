import { randomUUID } from "node:crypto";

import autocannon from "autocannon";

import { percentile } from "./statistics.ts";

/** The results of a target in one round. */
export type Sample = { perSecond: number; p50Ms: number; p99Ms: number; failed: number };

/** A target that accepts events by POST. */
export type Target = {
  name: string;
  url: string;
  /** Resolves once the work of every acknowledged request has ended. */
  settled: () => Promise<void>;
};

type Amount = { connections: number; seconds: number };

/** Post events with unique ids as fast as the connections allow. */
export async function load(target: Target, { connections, seconds }: Amount): Promise<Sample> {
  const latenciesMs: number[] = [];
  const startedAtMs = performance.now();
  const run = autocannon({
    url: target.url,
    connections,
    duration: seconds,
    requests: [{ method: "POST", headers: JSON_TYPE, setupRequest: withFreshBody }],
  });
  run.on("response", (_client: unknown, _status: number, _bytes: number, elapsedMs: number) => {
    latenciesMs.push(elapsedMs);
  });
  const { errors, timeouts, non2xx } = await run;
  // A response that defers its work must not make a target look faster than it is.
  await target.settled();
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;

  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return {
    perSecond: (sorted.length - non2xx) / elapsedSeconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    failed: errors + timeouts + non2xx,
  };
}

/** A typical order of a shop, 200 bytes long. */
export function orderBody(id: string): string {
  return JSON.stringify({
    id,
    item: "A pot of tea",
    quantity: 2,
    customer: { name: "Ada", city: "London" },
    note: "Please ring the bell twice, and leave the pot at the door.",
  });
}

const JSON_TYPE = { "content-type": "application/json" };

function withFreshBody(request: { body?: string }): { body?: string } {
  return { ...request, body: orderBody(randomUUID()) };
}

/** Post one event; throws unless the target accepts it. */
export async function post(url: string, body: string): Promise<void> {
  const response = await fetch(url, { method: "POST", headers: JSON_TYPE, body });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
}
