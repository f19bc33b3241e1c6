import "./help.ts";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type DeployedSource, deploy, endpointOf, eventsOf, type Summary } from "./api.ts";
import { type RunningPlatform, startPlatform } from "./platform.ts";

const EVENT_TIMEOUT_MS = 30_000;
const EXAMPLES = join(import.meta.dirname, "../../examples");

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-demo-"));
try {
  const platform = await step("start the platform", () => startPlatform({ stateDir }));
  try {
    await showHttp(platform);
    await showTimer(platform);
  } finally {
    await step("stop the platform", platform.stop);
  }
} finally {
  await rm(stateDir, { recursive: true, force: true });
}

async function showHttp(platform: RunningPlatform): Promise<void> {
  const source = await step("deploy examples/orders.js", () => deployFile(platform, "orders.js"));
  const url = endpointOf(source);
  await step("send order 1", () => send(url, { id: 1, item: "tea" }));
  await step("send order 2", () => send(url, { id: 2, item: "cake" }));
  await step("send order 2 again", () => send(url, { id: 2, item: "cake" }));
  const events = await step("read the events", () => untilEvents(platform, source, 2));
  print(events);
  const orders = events.map(({ event }) => event["id"]).join(", ");
  if (orders !== "2, 1") throw new Error(`Expected orders 2, 1, but found ${orders}`);
}

async function showTimer(platform: RunningPlatform): Promise<void> {
  const source = await step("deploy examples/clock.js", () => deployFile(platform, "clock.js"));
  const events = await step("wait for its tick", () => untilEvents(platform, source, 1));
  print(events);
}

async function deployFile(platform: RunningPlatform, file: string): Promise<DeployedSource> {
  return deploy(platform, await readFile(join(EXAMPLES, file), "utf8"));
}

async function send(url: string, order: { id: number; item: string }): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    signal: AbortSignal.timeout(EVENT_TIMEOUT_MS),
    headers: { "content-type": "application/json" },
    body: JSON.stringify(order),
  });
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
}

async function untilEvents(
  platform: RunningPlatform,
  source: DeployedSource,
  count: number,
): Promise<Summary[]> {
  const deadline = Date.now() + EVENT_TIMEOUT_MS;
  for (;;) {
    const events = await eventsOf(platform, source);
    if (events.length >= count) return events;
    if (Date.now() > deadline) throw new Error(`Source ${source.id} has ${events.length} events`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const outcome = await work();
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  console.log(`${`${elapsedMs} ms`.padStart(8)}  ${name}`);
  return outcome;
}

function print(events: readonly Summary[]): void {
  for (const { id, event, metadata } of events)
    console.log(`${" ".repeat(10)}${id}  ${metadata.summary ?? ""}  ${JSON.stringify(event)}`);
}
