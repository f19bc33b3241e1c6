import type { Address } from "#domain/address.ts";
import { readInTime } from "#domain/body.ts";
import { BUDGET_HEADER, budgetOf, DEPTH_HEADER, depthOf } from "#domain/chains.ts";
import { HOPS_HEADER, hopsOf } from "#domain/deliveries.ts";
import { httpEvent } from "#domain/http-event.ts";
import type { Json } from "#domain/json.ts";
import { fitsBytes, MAX_EVENT_BYTES } from "#domain/row-size.ts";

/** The largest body of an HTTP event (docs/contract.md: HTTP interface). */
const MAX_BODY_BYTES = 512 * 1024;

/** Only the edge says who the client is. A local runtime, which has none, is reached from its own machine alone. */
const LOOPBACK = "127.0.0.1";

/** A request that came, and the id that it has in its response and in the log. */
export type Asked = { requestId: string; startMs: number; method: string; pathname: string };

/** A request to an endpoint or to a pause, as its object is asked: plain data, read to the end. */
export type Incoming = Asked & {
  /** How many emitters it has come through. */
  hops: number;
  /** How many runs it may lead to. */
  budget: number;
  /** How many requests of components it is inside of. */
  depth: number;
  /** JSON text of the event that it is; null when its body, or this text, is larger than an event may be. */
  event: string | null;
};

/**
 * Read a request to the end, and make it the event that it is: what an object does for one source, the entrance does
 * for all side by side. `late`: its body takes too long. `path`: what the event calls its path.
 */
export async function readIncoming(
  request: Request,
  asked: Asked,
  { url, path }: { url: Address; path: string },
): Promise<Incoming | "late"> {
  const hops = hopsOf(request.headers.get(HOPS_HEADER));
  const budget = budgetOf(request.headers.get(BUDGET_HEADER));
  const depth = depthOf(request.headers.get(DEPTH_HEADER));
  const { method } = asked;
  const bytes = await readInTime(request, MAX_BODY_BYTES);
  if (bytes === "late") return bytes;
  if (!bytes) await request.body?.cancel();
  const headers = Object.fromEntries(request.headers);
  const clientIp = headers["cf-connecting-ip"] ?? (HOPS_HEADER in headers ? "" : LOOPBACK);
  const event = bytes && (await httpEvent({ method, url, path, headers, bytes, clientIp }));
  return { ...asked, hops, budget, depth, event: event === undefined ? null : storable(event) };
}

/** JSON makes six bytes of a control character, and the event has the body twice: 512 KB can become 6 MB. */
function storable(event: Json): string | null {
  const text = JSON.stringify(event);
  return fitsBytes(text, MAX_EVENT_BYTES) ? text : null;
}
