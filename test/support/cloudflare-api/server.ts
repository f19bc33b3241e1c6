import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One call of the API, with its body read. */
export type ApiCall = {
  method: string;
  path: string;
  query: URLSearchParams;
  /** What the parts of the route's pattern stand for. */
  params: Record<string, string>;
  request: Request;
};

/** What the API answers: a result, or errors by its code and words. */
export type ApiAnswer =
  | { status?: number; result: unknown }
  | { status: number; errors: { code: number; message: string }[] };

export type Route = [pattern: string, answer: (call: ApiCall) => Promise<ApiAnswer> | ApiAnswer];

/** How a call is to fail: a status with a code, or no answer at all; that many times, or always. */
type Fault = { status: number; code?: number; message?: string; times?: number };

export type ApiServer = {
  url: string;
  /** Every call so far, as `GET /accounts`. */
  calls: string[];
  /** Those that Cloudflare may well know, but that nothing here answers. */
  unrouted: string[];
  /** Let calls fail whose method and path begin so. */
  fail(call: string, fault: Fault): void;
  /** End all faults. */
  recover(): void;
  close(): void;
};

/** Serve routes the way Cloudflare's API v4 does: bearer tokens, and its envelope around everything. */
export async function serveApi(token: string, routes: readonly Route[]): Promise<ApiServer> {
  const calls: string[] = [];
  const unrouted: string[] = [];
  const faults = new Map<string, Fault>();
  const server = createServer((incoming, outgoing) => {
    void answerTo(incoming, { token, routes, calls, unrouted, faults }).then((answer) =>
      answer ? write(outgoing, answer) : outgoing.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/client/v4`,
    calls,
    unrouted,
    fail: (call, fault) => faults.set(call, { ...fault }),
    recover: () => faults.clear(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Serving = {
  token: string;
  routes: readonly Route[];
  calls: string[];
  unrouted: string[];
  faults: Map<string, Fault>;
};

async function answerTo(
  incoming: IncomingMessage,
  { token, routes, calls, unrouted, faults }: Serving,
): Promise<ApiAnswer | undefined> {
  const request = await requestOf(incoming);
  const { pathname, searchParams: query } = new URL(request.url);
  const { method } = request;
  const path = pathname.replace("/client/v4", "");
  const name = `${method} ${path}`;
  calls.push(name);
  if (request.headers.get("authorization") !== `Bearer ${token}`)
    return refusal(401, 10_000, "Authentication error");
  const fault = dueFault(faults, name);
  if (fault?.status === 0) return undefined;
  if (fault) return refusal(fault.status, fault.code, fault.message);

  for (const [pattern, answer] of routes) {
    const params = match(pattern, name);
    if (params) return answer({ method, path, query, params, request });
  }
  unrouted.push(name);
  return refusal(404, 7003, `Could not route to ${path}`);
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = "GET", url = "/" } = incoming;
  const headers = incoming.headers as Record<string, string>;
  const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
  return new Request(new URL(url, "http://cloudflare.test"), { method, headers, ...body });
}

function dueFault(faults: Map<string, Fault>, name: string): Fault | undefined {
  for (const [call, fault] of faults) {
    if (!name.startsWith(call) || fault.times === 0) continue;
    if (fault.times !== undefined) fault.times -= 1;
    return fault;
  }
  return undefined;
}

/** An answer that says no. */
export function refusal(status: number, code = 10_013, message = "An unknown error"): ApiAnswer {
  return { status, errors: [{ code, message }] };
}

/** What `:name` parts of a pattern stand for; undefined where it is another call. */
function match(pattern: string, call: string): Record<string, string> | undefined {
  const wanted = pattern.split(/[ /]/);
  const parts = call.split(/[ /]/);
  if (wanted.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const want = wanted[index] ?? "";
    if (want.startsWith(":")) params[want.slice(1)] = decodeURIComponent(part);
    else if (want !== part) return undefined;
  }
  return params;
}

function write(outgoing: ServerResponse, answer: ApiAnswer): void {
  const failed = "errors" in answer;
  outgoing.writeHead(answer.status ?? 200, { "content-type": "application/json" }).end(
    JSON.stringify({
      success: !failed,
      errors: failed ? answer.errors : [],
      messages: [],
      result: failed ? null : answer.result,
    }),
  );
}
