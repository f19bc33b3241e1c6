import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
// oxlint-disable-next-line wellspring/no-sleep -- A slow answer of the API is the input.
import { setTimeout } from "node:timers/promises";

import { serve } from "../serve.ts";
import { type Fault, Faults } from "./faults.ts";

/** One call of the API, with its body read. */
export type ApiCall = {
  method: string;
  path: string;
  query: URLSearchParams;
  /** The values of the pattern's parts. */
  params: Record<string, string>;
  body: Buffer;
  headers: IncomingHttpHeaders;
};

/** The content of the API's envelope. */
export type ApiResult = { result: unknown; result_info?: object; status?: number };

/** An error of the API. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code = 10_013, message = "An unknown error") {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Answers the calls that match a pattern of method and path: `GET /accounts/:account`. */
export type Route = [pattern: string, answer: (call: ApiCall) => Promise<ApiResult> | ApiResult];

export type ApiServer = {
  origin: string;
  faults: Faults;
  /** Every call so far, as `GET /accounts`. */
  calls: string[];
  /** Calls without a route here, which Cloudflare may well have. */
  unrouted: string[];
  close(): void;
};

/** The limit of the API: calls of one user in 5 minutes; calls above it fail until the 5 minutes are over. */
const CALLS = 1200;
const WINDOW_SECONDS = 300;

type Serving = {
  token: string;
  routes: readonly Route[];
  /** Handles requests of tests outside the API. */
  control?: (path: string, body: Buffer, faults: Faults) => unknown;
};

/** Serve routes like Cloudflare's API v4: with bearer tokens, its rate limit, and its envelope around everything. */
export async function serveApi(serving: Serving): Promise<ApiServer> {
  const faults = new Faults();
  const calls: string[] = [];
  const unrouted: string[] = [];
  const answering = { ...serving, faults, calls, unrouted, limit: new RateLimit() };
  const served = await serve((request, response) => answer(answering, { request, response }));
  return { ...served, faults, calls, unrouted };
}

type Answering = Serving & Pick<ApiServer, "faults" | "calls" | "unrouted"> & { limit: RateLimit };

async function answer(answering: Answering, exchange: Exchange): Promise<void> {
  const { faults, control } = answering;
  const { url = "/", method = "GET", headers } = exchange.request;
  const { pathname, searchParams: query } = new URL(url, "http://localhost");
  const body = await buffer(exchange.request);
  if (!pathname.startsWith("/client/v4/")) {
    exchange.response.end(JSON.stringify(control?.(pathname, body, faults) ?? null));
    return;
  }
  const path = pathname.slice("/client/v4".length);
  await answerAsApi(answering, exchange, { method, path, query, params: {}, body, headers });
}

async function answerAsApi(answering: Answering, exchange: Exchange, call: ApiCall): Promise<void> {
  const { faults, calls } = answering;
  const { method, path } = call;
  const called = { name: `${method} ${path}`, about: subjectOf(path), method };
  calls.push(called.name);
  const fault = faults.next(called);
  faults.note(called);
  await setTimeout(fault?.afterMs ?? 0);
  const response = isPerformed(fault) ? await answered(call, answering) : undefined;
  end(exchange, fault?.answer, response);
}

function isPerformed(fault: Fault | undefined): boolean {
  const { answer: given, isApplied = false } = fault ?? {};
  return given === undefined || given === "cut" || isApplied;
}

class RateLimit {
  #atMs: number[] = [];

  count(): void {
    const since = Date.now() - WINDOW_SECONDS * 1000;
    this.#atMs = [...this.#atMs.filter((atMs) => atMs > since), Date.now()];
    if (this.#atMs.length > CALLS)
      throw new ApiError(429, 971, "Please wait and consider throttling");
  }
}

/** Accepts the token of an upload session, in place of the caller's own. */
const BY_OWN_TOKEN = /\/workers\/assets\/upload$/;

type ApiResponse = { status: number; headers?: Record<string, string>; text: string };

async function answered(
  call: ApiCall,
  { token, routes, limit, unrouted }: Answering,
): Promise<ApiResponse> {
  try {
    if (call.headers.authorization !== `Bearer ${token}` && !BY_OWN_TOKEN.test(call.path))
      throw new ApiError(401, 10_000, "Authentication error");
    limit.count();
    const { result, result_info, status = 200 } = await routed(call, routes, unrouted);
    const envelope = { success: true, errors: [], messages: [], result, result_info };
    return { status, text: JSON.stringify(envelope) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const headers = error.status === 429 ? { "retry-after": String(WINDOW_SECONDS) } : {};
    return { ...refusal(error.status, error.code, error.message), headers };
  }
}

async function routed(
  call: ApiCall,
  routes: readonly Route[],
  unrouted: string[],
): Promise<ApiResult> {
  const name = `${call.method} ${call.path}`;
  for (const [pattern, perform] of routes) {
    const params = match(pattern, name);
    if (params) return perform({ ...call, params });
  }
  if (routes.some(([pattern]) => match(pattern.replace(/^\w+/, call.method), name)))
    throw new ApiError(405, 10_405, `Method ${call.method} not available for that URI`);
  unrouted.push(name);
  throw new ApiError(404, 7003, `Could not route to ${call.path}`);
}

/** An error response in the API's format. */
export function refusal(status: number, code = 10_013, message = "An unknown error"): ApiResponse {
  const envelope = { success: false, errors: [{ code, message }], messages: [], result: null };
  return { status, text: JSON.stringify(envelope) };
}

/** The values of the `:name` parts of a pattern; undefined for another call. */
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

/** The script or the namespace of a call. */
function subjectOf(path: string): string {
  const [last = "", before = ""] = path.split("/").toReversed();
  return last === "scripts" ? before : last;
}

type Exchange = { request: IncomingMessage; response: ServerResponse };

function end(
  { request, response }: Exchange,
  fault: Fault["answer"] | undefined,
  performed?: ApiResponse,
): void {
  if (fault === "hang") return;
  if (fault === "reset") {
    request.socket.destroy();
    return;
  }
  const { status, headers, text } =
    fault === undefined || fault === "cut" ? (performed ?? refusal(500)) : fault;
  const length = Buffer.byteLength(text);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": length,
    ...headers,
  });
  if (fault !== "cut") {
    response.end(text);
    return;
  }
  response.write(Buffer.from(text).subarray(0, length / 2), () => request.socket.destroy());
}
