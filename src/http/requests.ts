import type { Address } from "#domain/address.ts";
import { readInTime } from "#domain/body.ts";
import { BUDGET_HEADER, budgetOf, DEPTH_HEADER, depthOf } from "#domain/chains.ts";
import { decompress } from "#domain/content-encoding.ts";
import { HOPS_HEADER, hopsOf } from "#domain/deliveries.ts";
import { httpEvent } from "#domain/http-event.ts";
import type { Json } from "#domain/json.ts";
import { fitsBytes, MAX_EVENT_BYTES } from "#domain/row-size.ts";
import { withoutSession } from "#domain/sessions.ts";

/** The largest body of an HTTP event (docs/contract.md: HTTP interface). */
const MAX_BODY_BYTES = 512 * 1024;

/** The client address without an edge: a local runtime accepts requests from its own machine only. */
const LOOPBACK = "127.0.0.1";

/** An incoming request and its id in the response and in the log. */
export type RequestHead = { requestId: string; startMs: number; method: string; pathname: string };

/** A request to an endpoint or to a pause as plain data with its whole body. */
export type Incoming = RequestHead & {
  /** The number of emitters that it has passed. */
  hops: number;
  /** The number of runs that it may cause. */
  budget: number;
  /** The number of requests of components that it is nested in. */
  depth: number;
  /** JSON text of its event; null if its body or this text exceeds the limit. */
  event: string | null;
};

/**
 * Read a request and build its event: an object would do this one request at a time, the Worker does it concurrently.
 * `late`: its body timed out. `path`: the path in the event.
 */
export async function readIncoming(
  request: Request,
  head: RequestHead,
  { url, path }: { url: Address; path: string },
): Promise<Incoming | "late"> {
  const hops = hopsOf(request.headers.get(HOPS_HEADER));
  const budget = budgetOf(request.headers.get(BUDGET_HEADER));
  const depth = depthOf(request.headers.get(DEPTH_HEADER));
  const { method } = head;
  const bytes = await readInTime(request, MAX_BODY_BYTES);
  if (bytes === "late") return bytes;
  const headers = headersOf(request);
  const content = bytes && contentOf(bytes, headers["content-encoding"]);
  const clientIp = headers["cf-connecting-ip"] ?? (HOPS_HEADER in headers ? "" : LOOPBACK);
  const event =
    content && (await httpEvent({ method, url, path, headers, bytes: content, clientIp }));
  return { ...head, hops, budget, depth, event: event === undefined ? null : storable(event) };
}

/** A body without its compression, or as sent if it is not compressed as declared; undefined if it is too large. */
function contentOf(
  bytes: Uint8Array<ArrayBuffer>,
  contentEncoding: string | undefined,
): Uint8Array<ArrayBuffer> | undefined {
  if (contentEncoding === undefined) return bytes;
  const content = decompress(bytes, contentEncoding, MAX_BODY_BYTES) ?? bytes;
  return content === "too_large" ? undefined : content;
}

/** The headers of a request without the console's session, which its origin may share. */
function headersOf(request: Request): Record<string, string> {
  const sent = [...request.headers];
  const kept = request.headers.has("cookie") ? sent.flatMap(withoutSessions) : sent;
  return Object.fromEntries(kept);
}

function withoutSessions([name, value]: [string, string]): [string, string][] {
  const kept = name === "cookie" ? withoutSession(value) : value;
  return kept === undefined ? [] : [[name, kept]];
}

/** JSON turns a control character into six bytes, and the event contains the body twice: 512 KB can become 6 MB. */
function storable(event: Json): string | null {
  const text = JSON.stringify(event);
  return fitsBytes(text, MAX_EVENT_BYTES) ? text : null;
}
