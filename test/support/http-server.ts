import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import type { TestProject } from "vitest/node";

import { serve } from "./serve.ts";

declare module "vitest" {
  export interface ProvidedContext {
    httpServer: string;
  }
}

type Respond = (response: ServerResponse, request: IncomingMessage, argument: string) => void;

const TEXT = "text ".repeat(50);
const compressed =
  (encoding: string, compress: (text: string) => Buffer): Respond =>
  (response) =>
    void response.writeHead(200, { "content-encoding": encoding }).end(compress(TEXT));

const RESPONSES: Record<string, Respond> = {
  json: (response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true,"é":[1]}');
  },
  orders: (response) => {
    const orders = [1, 2].map((id) => ({ id, createdAt: `2026-01-0${id}T00:00:00Z` }));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(orders));
  },
  "client-document": (response, { headers, url }, name) => {
    const client_id =
      name === "posing" ? "https://other.example.com/c" : `http://${headers.host}${url}`;
    response.end(
      JSON.stringify({
        client_id,
        client_name: `\u202e${name}`,
        redirect_uris: ["http://127.0.0.1:1/callback"],
      }),
    );
  },
  cookies: (response) => {
    response.writeHead(200, { "set-cookie": ["a=1; Path=/", "b=2; Secure"] }).end("x");
  },
  repeated: (response) => {
    response.setHeader("x-many", ["a", "b"]).setHeader("vary", ["accept", "origin"]).end("x");
  },
  gzip: compressed("gzip", gzipSync),
  deflate: compressed("deflate", deflateSync),
  br: compressed("br", brotliCompressSync),
  chunks: (response) => {
    response.write("one ");
    // The second chunk must not arrive with the first.
    setTimeout(() => response.end("two"), 30);
  },
  large: (response) => void response.end("x".repeat(2 ** 21)),
  status: (response, _request, status) => {
    response.writeHead(Number(status)).end(/^(?:204|304)$/.test(status) ? undefined : "text");
  },
  // As Cloudflare's network: by itself, for a target of a zone of its own (`-ray`), and with that zone's page (`-page`).
  edge: (response, _request, argument) => {
    const [code = "", of] = argument.split("-");
    const status = { 1016: 530, 1003: 403 }[code] ?? Number(code);
    const type = of === "page" ? "text/html; charset=UTF-8" : "text/plain; charset=UTF-8";
    response
      .writeHead(status, { "content-type": type, ...(of === "ray" && { "cf-ray": "8f00-FRA" }) })
      .end(`error code: ${code}`);
  },
  redirect: (response, _request, status) => {
    response.writeHead(Number(status), { location: `/echo?from=${status}` }).end("moved");
  },
  bearer: (response, { method, headers }, token) => {
    const isRight = headers.authorization === `Bearer ${token}`;
    response.writeHead(isRight ? 200 : 401).end(isRight ? method : "refused");
  },
  "query-token": (response, { url = "" }, token) => {
    const query = new URL(url, "http://localhost").searchParams;
    response
      .writeHead(query.get("access_token") === decodeURIComponent(token) ? 200 : 401)
      .end(url);
  },
  loop: (response) => void response.writeHead(302, { location: "/loop" }).end(),
  elsewhere: (response, { headers }) => {
    const location = `http://${headers.host?.replace("127.0.0.1", "localhost")}/echo`;
    response.writeHead(302, { location }).end();
  },
  hangup: (_response, request) => void request.socket.destroy(),
  broken: (response) => {
    response
      .writeHead(200, { "content-length": "100" })
      .write("abc", () => response.socket?.destroySoon());
  },
  slow: () => {},
  drip: (response) => {
    const timer = setInterval(() => response.write("drop"), 50);
    response.on("close", () => clearInterval(timer));
  },
};

/** Serve the tests of HTTP clients: it returns each request's content, and sends responses of every kind. */
export async function setup(project: TestProject): Promise<() => void> {
  // By either name of this machine.
  const { origin, close } = await serve(answer, true);
  project.provide("httpServer", origin);
  return close;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const { method, url = "", headers } = request;
  const [, name = "", argument = ""] = url.split(/[/?]/);
  const respond = RESPONSES[name];
  if (respond) return respond(response, request, argument);
  const text = body.length > 500 ? `${body.length} bytes` : body.toString("latin1");
  response.setHeader("X-Reply", "Yes").setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method, url, headers: comparable(headers), text }));
}

const OF_THE_CONNECTION = new Set(["connection", "host", "keep-alive"]);

/**
 * Headers in order, without those that are set by each connection, and that Cloudflare adds. No body equals an empty
 * one.
 */
function comparable(headers: IncomingMessage["headers"]): object {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_THE_CONNECTION.has(name) && !name.startsWith("cf-"))
      .filter(([name, value]) => !isEmpty(name, value))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function isEmpty(name: string, value: unknown): boolean {
  return name === "content-length" && value === "0";
}
