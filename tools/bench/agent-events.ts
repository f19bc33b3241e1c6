import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { Webhook } from "standardwebhooks";

import { type Caller, deploy, endpointOf } from "../scripts/api.ts";
import { listen } from "../scripts/listen.ts";
import { mcp } from "../scripts/mcp.ts";
import { latenciesOf, send } from "./delivery.ts";
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

function print(callback: Callback, sent: ReadonlyMap<string, number>): void {
  const sorted = latenciesOf(callback, sent);
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
