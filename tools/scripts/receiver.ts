import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** One request that a receiver got. */
export type Received = { path: string; webhookId: string; body: string; atMs: number };

/** An HTTP server on loopback that takes webhooks and notes each. */
export type Receiver = { url: string; received: Received[]; close: () => void };

/** Start a receiver on any free port; `onReceived` hears of each request as it is complete. */
export async function startReceiver(onReceived?: (one: Received) => void): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
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
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has a port.
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, received, close };
}
