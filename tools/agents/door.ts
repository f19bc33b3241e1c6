import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";

import type { RunningPlatform } from "../scripts/platform.ts";
import { DIAGNOSTIC_APP, DIAGNOSTIC_TOOLS } from "./diagnostic-tools.ts";

export type Door = { url: string; close: () => void };

/**
 * An address of the platform's MCP endpoint for the suite, like that of a reverse proxy. It adds the key to each request,
 * because the suite sends none, and the app whose actions are the suite's tools to the calls of these.
 */
export async function openDoor({ url, apiKey }: RunningPlatform): Promise<Door> {
  const target = new URL(url);
  const { hostname: host, port } = target;
  const server = createServer((incoming, outgoing) => {
    const { path, method } = { path: incoming.url, method: incoming.method };
    const headers = {
      ...withHost(incoming.headers, localAddress(server.address()), target.host),
      authorization: `Bearer ${apiKey}`,
      ...appHeaders(incoming.headers),
    };
    const forwarded = request({ host, port, path, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://${localAddress(server.address())}/mcp`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The headers with the platform's host in place of the door's address; any other host stays. */
function withHost(
  headers: IncomingHttpHeaders,
  address: string,
  host: string,
): IncomingHttpHeaders {
  return {
    ...headers,
    ...(headers.host === address && { host }),
    ...(headers.origin === `http://${address}` && { origin: `http://${host}` }),
  };
}

function appHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const isDiagnostic = DIAGNOSTIC_TOOLS.some(({ name }) => name === headers["mcp-name"]);
  return isDiagnostic ? { "x-pd-app-slug": DIAGNOSTIC_APP } : {};
}

function localAddress(address: ReturnType<ReturnType<typeof createServer>["address"]>): string {
  if (address === null || typeof address === "string") throw new Error("No port was assigned");
  return `127.0.0.1:${address.port}`;
}
