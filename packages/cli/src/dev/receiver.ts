import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A received delivery and its response. */
export type Delivery = {
  event_id: string;
  emitter_id: string;
  attempt: number;
  status: number;
  ms: number;
  /** The URL that it was forwarded to. */
  forwarded: string;
};

export type Receiver = {
  url: string;
  /** The secret of the webhook, once it is created. */
  expectSecret: (secret: string) => void;
  close: () => void;
};

const FORWARD_TIMEOUT_MS = 15_000;

/** Receive deliveries of the platform, and forward them to `forward`, whose status is the response. */
export async function receive(
  forward: string,
  onDelivery: (delivery: Delivery) => void,
): Promise<Receiver> {
  let secret = "";
  const server = createServer((request, response) => {
    void answer(request, response, { forward, secret, onDelivery });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The receiver has no port");
  return {
    url: `http://127.0.0.1:${address.port}/deliveries`,
    expectSecret: (given) => {
      secret = given;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Forwarding = {
  forward: string;
  secret: string;
  onDelivery: (delivery: Delivery) => void;
};

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { forward, secret, onDelivery }: Forwarding,
): Promise<void> {
  const sinceMs = performance.now();
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const isGenuine = isSigned(request, body, secret);
  const status = isGenuine ? await passedOn(request, body, forward) : 401;
  response.writeHead(status).end();
  onDelivery({
    event_id: headerOf(request, "x-wellspring-event-id"),
    emitter_id: headerOf(request, "x-wellspring-emitter-id"),
    attempt: Number(headerOf(request, "x-wellspring-attempt") || 1),
    status,
    ms: Math.round(performance.now() - sinceMs),
    forwarded: forward,
  });
}

async function passedOn(request: IncomingMessage, body: Buffer, forward: string): Promise<number> {
  const names = Object.keys(request.headers).filter((name) =>
    /^(?:content-type|webhook-|x-wellspring-)/.test(name),
  );
  const headers = Object.fromEntries(names.map((name) => [name, headerOf(request, name)]));
  try {
    const { status } = await fetch(forward, {
      method: "POST",
      headers,
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    });
    return status;
  } catch {
    return 502;
  }
}

/** Whether a request has a signature of Standard Webhooks with this secret: nobody else may write to the terminal. */
function isSigned(request: IncomingMessage, body: Buffer, secret: string): boolean {
  if (secret === "") return true;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const head = `${headerOf(request, "webhook-id")}.${headerOf(request, "webhook-timestamp")}.`;
  const expected = createHmac("sha256", key).update(head).update(body).digest();
  return headerOf(request, "webhook-signature")
    .split(" ")
    .map((one) => Buffer.from(one.replace(/^v1,/, ""), "base64"))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  return String(headers[name] ?? "");
}
