import { once } from "node:events";
import { request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { pipeline } from "node:stream/promises";

import { generate } from "selfsigned";

/** The server of a host behind the front: a handler of ours, or the origin of another server. */
type Backend = string | ((request: IncomingMessage, response: ServerResponse) => unknown);

/** HTTPS for several hosts at one port of this machine, as a reverse proxy does it. */
export type Front = {
  port: number;
  /** The origin of a host, as browsers see it. */
  originOf: (host: string) => string;
  serve: (host: string, backend: Backend) => void;
  stop: () => Promise<void>;
};

/** Listen on a free port of loopback, with a certificate made for this run. Hosts without a server get a 502. */
export async function startFront(): Promise<Front> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }]);
  const backends = new Map<string, Backend>();
  const server = createServer({ key, cert }, (request, response) => {
    const [host = ""] = (request.headers.host ?? "").split(":");
    void settle(backends.get(host), request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was assigned");
  const { port } = address;
  return {
    port,
    originOf: (host) => `https://${host}:${port}`,
    serve: (host, backend) => void backends.set(host, backend),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function settle(
  backend: Backend | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (typeof backend === "function") await backend(request, response);
    else await passOn(backend, request, response);
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  }
}

async function passOn(
  origin: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (origin === undefined) throw new Error("No server serves this host");
  const { hostname, port } = new URL(origin);
  const { method, url: path, headers, socket } = request;
  const forwarded = {
    ...headers,
    "x-forwarded-for": socket.remoteAddress ?? "",
    "x-forwarded-proto": "https",
  };
  const passed = forward({ hostname, port, method, path, headers: forwarded });
  const arrived = once(passed, "response");
  await Promise.all([pipeline(request, passed), arrived]);
  const [answer]: IncomingMessage[] = await arrived;
  if (!answer) throw new Error("The server closed the connection");
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, response);
}
