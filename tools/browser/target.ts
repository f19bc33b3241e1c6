import { text } from "node:stream/consumers";

import { listen } from "../scripts/listen.ts";

/** A received request. */
export type Arrived = { path: string; headers: Record<string, unknown>; body: string };

/**
 * A server that webhooks target. It accepts everything, and the challenges of agents' subscriptions, but returns 503
 * below `/broken` until it is repaired.
 */
export type Target = {
  url: string;
  arrived: Arrived[];
  mend: () => void;
  close: () => void;
};

/** Start a webhook target on a free port of this machine. */
export async function startTarget(): Promise<Target> {
  const arrived: Arrived[] = [];
  let isBroken = true;
  const { url, close } = await listen(async (request, response) => {
    const path = request.url ?? "/";
    const body = await text(request);
    arrived.push({ path, headers: request.headers, body });
    const isRefused = isBroken && path.startsWith("/broken");
    response.writeHead(isRefused ? 503 : 200, { "content-type": "application/json" });
    response.end(isRefused ? `{"error":"Down for maintenance"}` : received(body));
  });
  return { url, arrived, close, mend: () => void (isBroken = false) };
}

/** A callback of an agent proves by its challenge that it wants the events. */
function received(body: string): string {
  const challenge = /"challenge":"[^"]*"/.exec(body)?.[0];
  return challenge === undefined ? `{"received":true}` : `{${challenge}}`;
}
