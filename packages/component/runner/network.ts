import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";

import { FAILED_HEADER, URL_HEADER } from "../driver/headers.ts";
import type { Network } from "../src/testing.ts";

/** Headers of the connection between the runtime and this process. */
const OF_CONNECTION = new Set([URL_HEADER, "host", "connection", "transfer-encoding"]);

/** The server with which a test responds to a component's requests. */
export type NetworkServer = {
  address: string;
  /** The error of the test's function, or of its absence. */
  failure: () => Error | undefined;
  close: () => void;
};

export async function serveNetwork(network: Network | undefined): Promise<NetworkServer> {
  const failures: Error[] = [];
  const server = createServer((incoming, outgoing) => {
    answer(network, incoming, outgoing).catch((error: unknown) => {
      failures.push(error instanceof Error ? error : new Error(String(error)));
      outgoing.writeHead(502, { [FAILED_HEADER]: "1" }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    address: `127.0.0.1:${port}`,
    failure: () => failures[0],
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  network: Network | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = await requestOf(incoming);
  if (!network)
    throw new Error(
      `fetch: the component requests ${request.method} ${request.url}, and the test has no fetch`,
    );
  const response = await network(request);
  if (response.type === "error") {
    outgoing.writeHead(502, { [FAILED_HEADER]: "1" }).end();
    return;
  }
  outgoing.writeHead(response.status, headersOf(response));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    if (!OF_CONNECTION.has(name)) for (const value of values ?? []) headers.append(name, value);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const method = incoming.method ?? "GET";
  const url = String(incoming.headers[URL_HEADER]);
  return new Request(url, { method, headers, ...(body.length > 0 && { body }) });
}

function headersOf({ headers }: Response): OutgoingHttpHeaders {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { "set-cookie": cookies }) };
}
