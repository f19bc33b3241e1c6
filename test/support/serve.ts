import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** `origin`: its address. `close` aborts pending requests. */
export type TestServer = { origin: string; close: () => void };

/**
 * Serve HTTP on a free port. An aborted request, or a handler that throws, ends this exchange alone: an unhandled
 * rejection in the process of the test runner would end the whole run, without a report.
 */
export async function serve(answer: Answer, isOnAllAddresses = false): Promise<TestServer> {
  const server = createServer((request, response) => void settle(answer, request, response));
  // Without a host Node uses IPv6 if available, otherwise IPv4.
  const host = isOnAllAddresses ? undefined : "127.0.0.1";
  // A kept-alive connection that closes during a request would lose it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  // It serves a test run, and never prevents its end.
  server.unref();
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}

async function settle(
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await answer(request, response);
  } catch (error) {
    if (!request.destroyed || request.complete) console.error(error);
    response.destroy();
  }
}
