import { randomUUID } from "node:crypto";

import { call, type DeployedSource, deploy, endpointOf } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import { type Receiver, startReceiver } from "../scripts/receiver.ts";
import { orderBody, post } from "./load.ts";
import { atRate, nameOf, type Rate } from "./rate.ts";
import { percentile } from "./statistics.ts";
import { componentCode, withPlatform, withWorker } from "./targets.ts";

const ARRIVAL_TIMEOUT_MS = 60_000;

const RATES: readonly Rate[] = [
  { perSecond: 1, seconds: 15 },
  { perSecond: 100, seconds: 15 },
  { perSecond: undefined, seconds: 15 },
];

const FAN_OUTS = [1, 10, 100, 1000];

/** The number of measurements each; the median counts. */
const FAN_OUT_ROUNDS = 7;

/** The target of events, and the place and time (by id) of their arrival. */
export type Setting = {
  platform: Pick<RunningPlatform, "url" | "apiKey">;
  receiver: Receiver;
  arrivals: Map<string, number>;
};

/** Measure the path of an event from the HTTP trigger to the receiver of a webhook. */
export async function measureDelivery(): Promise<void> {
  await withReceiver((receiving) =>
    withPlatform(async (platform) => {
      const setting = { platform, ...receiving };
      await measureRates(setting);
      await measureFanOut(setting);
    }),
  );
}

/** Run work with a receiver that records the arrival time of each event. */
export async function withReceiver<T>(
  work: (receiving: Omit<Setting, "platform">) => Promise<T>,
): Promise<T> {
  const arrivals = new Map<string, number>();
  const receiver = await startReceiver(({ body, atMs }) => {
    const { id }: { id: string } = JSON.parse(body);
    arrivals.set(id, atMs);
  });
  try {
    return await work({ receiver, arrivals });
  } finally {
    receiver.close();
  }
}

async function measureRates(setting: Setting): Promise<void> {
  console.log("\nFrom the trigger to the receiver of a webhook:\n");
  console.log("| events/s | sent | received | received/s | p50 ms | p99 ms |");
  console.log("|---|---|---|---|---|---|");
  const url = await deploySubscribed(setting, await componentCode("stateless"));
  for (const rate of RATES) await measureRate(setting, url, rate);
}

/** Deploy a source with a subscribed webhook; resolves to its endpoint once isolates and objects are warm. */
export async function deploySubscribed(setting: Setting, code: string): Promise<string> {
  const source = await deploy(setting.platform, code);
  await subscribe(setting, source);
  const url = endpointOf(source);
  await sendAndWait(setting, url, [randomUUID()]);
  return url;
}

/** Post events at a rate. Resolves to the time of each post, once all events arrived or the wait timed out. */
export async function send(
  { arrivals }: Pick<Setting, "arrivals">,
  url: string,
  rate: Rate,
): Promise<Map<string, number>> {
  const sent = new Map<string, number>();
  await atRate(rate, async () => {
    const id = randomUUID();
    sent.set(id, performance.now());
    await post(url, orderBody(id));
  });
  await untilAll(arrivals, [...sent.keys()]);
  return sent;
}

async function measureRate(setting: Setting, url: string, rate: Rate): Promise<void> {
  const startedAtMs = performance.now();
  const sent = await send(setting, url, rate);
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  const sorted = latenciesOf(setting, sent);
  const cells = [
    nameOf(rate),
    sent.size,
    sorted.length,
    Math.round(sorted.length / elapsedSeconds),
    percentile(sorted, 0.5).toFixed(1),
    percentile(sorted, 0.99).toFixed(1),
  ];
  console.log(`| ${cells.join(" | ")} |`);
  if (sorted.length < sent.size) process.exitCode = 1;
}

async function measureFanOut(setting: Setting): Promise<void> {
  console.log(
    "\nFrom one event to the last of its webhooks, beside objects that only send and store:\n",
  );
  console.log("| webhooks | all received after ms (median) | floor, ms | of the floor |");
  console.log("|---|---|---|---|");
  const source = await deploy(setting.platform, await componentCode("stateless"));
  await withWorker("floor", async (floor) => {
    let subscribed = 0;
    for (const size of FAN_OUTS) {
      for (; subscribed < size; subscribed += 1) await subscribe(setting, source);
      const targets = [
        () => post(endpointOf(source), orderBody(randomUUID())),
        () => post(`${floor}fan-out`, floorBody(setting.receiver.url, size)),
      ];
      const [own = Number.NaN, least = Number.NaN] = await fanOutTimes(setting, size, targets);
      console.log(
        `| ${size} | ${own.toFixed(0)} | ${least.toFixed(0)} | ${(own / least).toFixed(2)} |`,
      );
    }
  });
}

/** The median times of some targets in turns, each until the receiver has `size` requests more. */
async function fanOutTimes(
  { receiver: { received } }: Setting,
  size: number,
  targets: readonly (() => Promise<unknown>)[],
): Promise<number[]> {
  const times = targets.map((): number[] => []);
  // The first event wakes the objects, and is not measured.
  for (let round = 0; round <= FAN_OUT_ROUNDS; round += 1)
    for (const [index, start] of targets.entries()) {
      const seen = received.length;
      const startedAtMs = performance.now();
      const done = start();
      await until(() => received.length >= seen + size);
      if (round > 0) times[index]?.push(performance.now() - startedAtMs);
      await done;
    }
  return times.map((each) =>
    percentile(
      each.toSorted((a, b) => a - b),
      0.5,
    ),
  );
}

function floorBody(url: string, listeners: number): string {
  return JSON.stringify({ url, listeners, body: orderBody(randomUUID()) });
}

/** Subscribe a new webhook, which calls the receiver, to a source. */
export async function subscribe(
  { platform, receiver }: Setting,
  { id }: DeployedSource,
): Promise<void> {
  const webhook = await call<{ id: string }>(platform, "/webhooks", { url: receiver.url });
  await call(platform, "/subscriptions", { emitter_id: id, listener_id: webhook.id });
}

async function sendAndWait({ arrivals }: Setting, url: string, ids: string[]): Promise<void> {
  await Promise.all(ids.map((id) => post(url, orderBody(id))));
  await untilAll(arrivals, ids);
}

function untilAll(arrivals: Map<string, number>, ids: readonly string[]): Promise<void> {
  return until(() => ids.every((id) => arrivals.has(id)));
}

/** The latencies of the arrived events from the trigger to the receiver, ascending. */
export function latenciesOf(
  { arrivals }: Pick<Setting, "arrivals">,
  sent: ReadonlyMap<string, number>,
): number[] {
  return [...sent]
    .flatMap(([id, atMs]) => {
      const arrivedAtMs = arrivals.get(id);
      return arrivedAtMs === undefined ? [] : [arrivedAtMs - atMs];
    })
    .toSorted((a, b) => a - b);
}

/** Wait for a condition or the timeout; the caller counts the missing events. */
export async function until(check: () => boolean): Promise<void> {
  const deadline = performance.now() + ARRIVAL_TIMEOUT_MS;
  while (!check() && performance.now() < deadline) await new Promise((done) => setTimeout(done, 5));
}
