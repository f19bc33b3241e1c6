import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { Webhook } from "standardwebhooks";

import { type Caller, deploy, endpointOf } from "../scripts/api.ts";
import { listen } from "../scripts/listen.ts";
import { until } from "./delivery.ts";
import { orderBody, post } from "./load.ts";
import { mcp } from "./mcp.ts";
import { atRate } from "./rate.ts";
import { percentile } from "./statistics.ts";
import { componentCode } from "./targets.ts";

const RATE = { perSecond: 100, seconds: 15 };

/** The callback of an agent; `arrivals`: the time at which it verified each event, by the event's id. */
type Callback = { url: string; arrivals: Map<string, number>; close: () => void };

/** Measure the path of an event from the HTTP trigger to an agent's callback, which verifies its signature. */
export async function measureAgentEvents(platform: Caller): Promise<void> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const callback = await startCallback(secret);
  try {
    const source = await deploy(platform, await componentCode("stateless"));
    const delivery = { mode: "webhook", url: callback.url, secret };
    await mcp(platform, "events/subscribe", { name: source.id, delivery });
    // Isolates and objects must be warm.
    for (const round of [1, 2])
      await send(callback, endpointOf(source), { ...RATE, seconds: round });
    print(callback, await send(callback, endpointOf(source), RATE));
  } finally {
    callback.close();
  }
}

/** Post events at a rate. Resolves to the time of each post, once all of them are verified or the wait timed out. */
async function send(
  { arrivals }: Callback,
  url: string,
  rate: typeof RATE,
): Promise<Map<string, number>> {
  const sent = new Map<string, number>();
  await atRate(rate, async () => {
    const id = randomUUID();
    sent.set(id, performance.now());
    await post(url, orderBody(id));
  });
  await until(() => [...sent.keys()].every((id) => arrivals.has(id)));
  return sent;
}

function print({ arrivals }: Callback, sent: ReadonlyMap<string, number>): void {
  const latencies = [...sent].flatMap(([id, atMs]) => {
    const arrivedAtMs = arrivals.get(id);
    return arrivedAtMs === undefined ? [] : [arrivedAtMs - atMs];
  });
  const sorted = latencies.toSorted((a, b) => a - b);
  const times = [0.5, 0.99].map((share) => percentile(sorted, share).toFixed(1));
  console.log("From the trigger to an agent's callback, signature verified:\n");
  console.log("| events/s | sent | verified | p50 ms | p99 ms |\n|---|---|---|---|---|");
  console.log(`| ${[RATE.perSecond, sent.size, sorted.length, ...times].join(" | ")} |\n`);
  if (sorted.length < sent.size) process.exitCode = 1;
}

async function startCallback(secret: string): Promise<Callback> {
  const arrivals = new Map<string, number>();
  const webhook = new Webhook(secret);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    webhook.verify(body, Object.fromEntries(headers));
    const message: { challenge?: string; data?: { id: string } } = JSON.parse(body);
    if (message.data) arrivals.set(message.data.id, performance.now());
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ challenge: message.challenge }));
  };
  const { url, close } = await listen((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      response.writeHead(401).end();
    });
  });
  return { url, arrivals, close };
}
