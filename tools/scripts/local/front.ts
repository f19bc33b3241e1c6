import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

import { Refusal } from "./refusal.ts";
import { type Framed, type Rejection, RequestFraming } from "./request-framing.ts";
import { StuckReaders } from "./stuck-readers.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

const REASONS = {
  400: ["Bad Request", "invalid_input"],
  405: ["Method Not Allowed", "method_not_allowed"],
  431: ["Request Header Fields Too Large", "invalid_input"],
  501: ["Not Implemented", "method_not_allowed"],
  503: ["Service Unavailable", "unavailable"],
} as const;

/** The time that another process may keep the port that was free at the start. */
const PORT_PATIENCE_MS = 5000;

const PORT_POLL_MS = 100;

/** The bounds of reading what clients still send after their connection is over: each one's time and bytes, and the clients. */
const LINGER_MS = 5000;
const LINGER_BYTES = 8 * 1024 * 1024;
const MAX_LINGERING = 100;

let lingering = 0;

/** The addresses of a front and of the runtime, and the proxies that may set the client's address. */
export type FrontOptions = {
  host: string;
  port: number;
  runtimePort: number;
  /** By default on the loopback address that everybody knows. */
  runtimeHost?: string;
  proxies: TrustedProxies;
};

/** The socket that clients connect to. */
export type Front = {
  /** Accept no new connections, and respond with 503 to new requests on the open ones. */
  close: () => void;
};

/**
 * Listen for clients, and forward their requests to the runtime, without Miniflare's own headers. CONNECT and TRACE get
 * 405, unknown methods 501. Throws if another process keeps the port.
 */
export async function openFront(options: FrontOptions): Promise<Front> {
  const framings = new Set<RequestFraming>();
  const readers = new StuckReaders(!options.proxies.isEmpty);
  // A half-closed connection still gets its response.
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const framing = new RequestFraming(client.remoteAddress ?? "", options.proxies);
    framings.add(framing);
    readers.watch(client);
    client.on("close", () => framings.delete(framing));
    serve(client, framing, options);
  });
  await listen(server, options);
  const close = (): void => {
    server.close();
    for (const framing of framings) framing.close();
  };
  return { close };
}

/** On a busy machine minutes may pass since the port's check: a process that took it meanwhile may be about to end. */
async function listen(server: Server, { port, host }: FrontOptions): Promise<void> {
  const deadlineMs = Date.now() + PORT_PATIENCE_MS;
  for (;;) {
    try {
      server.listen(port, host);
      await once(server, "listening");
      return;
    } catch (error) {
      if (Reflect.get(Object(error), "code") !== "EADDRINUSE") throw error;
      if (Date.now() > deadlineMs)
        throw new Refusal(`Port ${port} was taken during the start. Choose another with PORT=…`);
      await wait(PORT_POLL_MS);
    }
  }
}

function serve(
  client: Socket,
  framing: RequestFraming,
  { runtimeHost = "127.0.0.1", runtimePort }: FrontOptions,
): void {
  const runtime = connect({
    host: runtimeHost,
    port: runtimePort,
    noDelay: true,
    allowHalfOpen: true,
  });
  const end = (): void => {
    client.destroy();
    runtime.destroy();
  };
  client.on("error", end).on("close", end);
  let isOver = false;
  runtime.on("error", end).on("close", () => {
    isOver = true;
    linger(client);
  });
  runtime.on("drain", () => client.resume());

  let rejected: Rejection | undefined;
  client.on("data", (bytes: Buffer) => {
    if (rejected || isOver) return;
    const { pass, rejection } = framing.read(bytes);
    if (!written(runtime, pass)) client.pause();
    rejected = rejection;
    if (rejected) runtime.end();
  });
  client.on("end", () => runtime.end());
  // The runtime has responded to the requests before the rejected one by then.
  runtime.on("end", () => client.end(rejected ? answerTo(rejected) : ""));
  runtime.pipe(client, { end: false });
}

/** A client that still sends when its connection is closed loses the response: first drop the rest, within bounds. */
function linger(client: Socket): void {
  if (client.readableEnded || lingering >= MAX_LINGERING) return client.destroySoon();
  lingering += 1;
  let left = LINGER_BYTES;
  const timer = setTimeout(() => client.destroy(), LINGER_MS);
  client.on("data", (bytes: Buffer) => {
    left -= bytes.length;
    if (left < 0) client.destroy();
  });
  client.on("close", () => {
    clearTimeout(timer);
    lingering -= 1;
  });
  client.end();
  client.resume();
}

/** False while the runtime accepts no request. */
function written(runtime: Socket, pass: Framed["pass"]): boolean {
  // A head and its body in one packet: the runtime would wake up for each.
  runtime.cork();
  let takesMore = true;
  for (const bytes of pass) takesMore = runtime.write(bytes);
  runtime.uncork();
  return takesMore;
}

function answerTo({ status, message }: Rejection): string {
  const [reason, code] = REASONS[status];
  const body = JSON.stringify({ error: message, code });
  const headers = [
    `HTTP/1.1 ${status} ${reason}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    ...(status === 503 ? ["retry-after: 1"] : []),
    ...(status === 405 ? ["allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"] : []),
    "connection: close",
  ];
  return `${headers.join("\r\n")}\r\n\r\n${body}`;
}
