import type { Address } from "../domain/address.ts";
import { readAtMost } from "../domain/body.ts";
import { HOPS_HEADER, hopsOf } from "../domain/deliveries.ts";
import { httpEvent } from "../domain/http-event.ts";

/** The largest body of an HTTP event (design: HTTP interface). */
const LARGEST_BODY_BYTES = 512 * 1024;

/** A request that came, and the id that it has in its answer and in the log. */
export type Asked = { requestId: string; startMs: number; method: string; pathname: string };

/** A request to an endpoint or to a pause, as its object is asked: plain data, read to the end. */
export type Incoming = Asked & {
  /** How many emitters it has come through. */
  hops: number;
  /** JSON text of the event that it is; null when its body is larger than an event may be. */
  event: string | null;
};

/**
 * Read a request to the end, and make it the event that it is: what an object does for one source, the entrance does
 * for all side by side. `path`: what the event calls its path.
 */
export async function readIncoming(
  request: Request,
  asked: Asked,
  { url, path }: { url: Address; path: string },
): Promise<Incoming> {
  const hops = hopsOf(request.headers.get(HOPS_HEADER));
  const { method } = asked;
  const bytes = await readAtMost(request, LARGEST_BODY_BYTES);
  if (!bytes) await request.body?.cancel();
  const headers = Object.fromEntries(request.headers);
  const clientIp = headers["cf-connecting-ip"] ?? "";
  const event = bytes && (await httpEvent({ method, url, path, headers, bytes, clientIp }));
  return { ...asked, hops, event: event === undefined ? null : JSON.stringify(event) };
}
