import { listen } from "./listen.ts";

/** One received request. */
export type Received = { path: string; webhookId: string; body: string; atMs: number };

/** An HTTP server on loopback that accepts webhooks and records each. */
export type Receiver = { url: string; received: Received[]; close: () => void };

/**
 * Start a receiver on any free port; `onReceived` is called with each complete request; `delayMs` returns the delay of the
 * response to a path.
 */
export async function startReceiver(
  onReceived?: (one: Received) => void,
  delayMs: (path: string) => number = () => 0,
): Promise<Receiver> {
  const received: Received[] = [];
  const { url, close } = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = {
        path: request.url ?? "/",
        webhookId: String(request.headers["webhook-id"]),
        body: Buffer.concat(chunks).toString(),
        atMs: performance.now(),
      };
      received.push(one);
      onReceived?.(one);
      const afterMs = delayMs(one.path);
      if (afterMs === 0) response.end();
      else setTimeout(() => response.end(), afterMs);
    });
  });
  return { url, received, close };
}
