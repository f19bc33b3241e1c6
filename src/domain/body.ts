import { withTimeout } from "./timeout.ts";

/** Timeout for the body of a request. */
const BODY_TIMEOUT_MS = 30_000;

/** Bytes of a body for which it has the timeout once. */
const BYTES_A_TIMEOUT = 5 * 1024 * 1024;

/** Maximum milliseconds until a body of this many bytes has arrived: 30 seconds for each started 5 MB. */
export function arrivalMs(length: number): number {
  return Math.max(1, Math.ceil(length / BYTES_A_TIMEOUT)) * BODY_TIMEOUT_MS;
}

/**
 * A response from outside. It lacks `text()` and the like, because a small body may unpack to any size: it is read by
 * `readAtMost`, or chunk by chunk.
 */
export type ForeignResponse = Pick<Response, "body" | "headers" | "ok" | "status">;

/** Headers of a request whose response is short: it needs no compression, which hides its size. */
export const UNCOMPRESSED = { "accept-encoding": "identity" } as const;

/**
 * Read the body of a request or a response to its end; undefined, with the rest left unread, if it has more than
 * `limit` bytes. They are counted as they are read: a declared length may be that of compressed bytes, or wrong.
 */
export async function readAtMost(
  { headers, body }: Request | ForeignResponse,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(headers.get("content-length")) > limit) return undefined;
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.byteLength;
    if (length > limit) {
      reader.releaseLock();
      return undefined;
    }
    chunks.push(part.value);
  }
  return joined(chunks, length);
}

/** As `readAtMost`, for a request: `late` if its body times out, and the rest is not read. */
export async function readInTime(
  request: Request,
  limit: number,
  timeoutMs = BODY_TIMEOUT_MS,
): Promise<Uint8Array<ArrayBuffer> | undefined | "late"> {
  if (!request.body) return new Uint8Array();
  return await withTimeout(readAtMost(request, limit), timeoutMs, () => "late" as const);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
