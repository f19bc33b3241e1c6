import type { Address } from "../domain/address.ts";
import { readAtMost } from "../domain/body.ts";
import type { ReceivedRequest } from "../domain/http-event.ts";

/** The largest body of an HTTP event (design: HTTP interface). */
const LARGEST_BODY_BYTES = 512 * 1024;

/** Read a request to the end; undefined when its body is larger than an event may be, whatever it says of its length. */
export async function readRequest(
  request: Request,
  { url, path }: { url: Address; path: string },
): Promise<ReceivedRequest | undefined> {
  const bytes = await readAtMost(request, LARGEST_BODY_BYTES);
  if (!bytes) {
    await request.body?.cancel();
    return undefined;
  }
  const headers = Object.fromEntries(request.headers);
  return {
    method: request.method,
    url,
    path,
    headers,
    bytes,
    clientIp: headers["cf-connecting-ip"] ?? "",
  };
}
