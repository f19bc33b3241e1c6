import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** A request as the shop received it. */
export type Arrived = {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
};

/** An API on loopback at which customers' users have accounts: it returns and records each request. */
export async function startShop(): Promise<{
  url: string;
  arrived: Arrived[];
  /** The first request to a path, as soon as it arrives. */
  next(path: string): Promise<Arrived>;
  stop(): Promise<void>;
}> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was assigned");

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const body = await text(request);
    arrived.push({ method, path, headers, body });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, path, key: headers["x-api-key"] ?? null, body }));
  }

  return {
    url: `http://127.0.0.1:${address.port}`,
    arrived,
    async next(path) {
      for (let attempt = 0; attempt < 100; attempt += 1) {
        const found = arrived.find((one) => one.path === path);
        if (found) return found;
        await new Promise((done) => setTimeout(done, 100));
      }
      throw new Error(`No request to ${path} arrived`);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
