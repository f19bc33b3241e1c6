import type { ReceivedRequest } from "../domain/http-event.ts";

/** The largest body of an HTTP event (design: HTTP interface). */
const LARGEST_BODY_BYTES = 512 * 1024;

/** Read a request to the end; undefined when its body is larger than an event may be, whatever it says of its length. */
export async function readRequest(
  request: Request,
  { url, path }: { url: URL; path: string },
): Promise<ReceivedRequest | undefined> {
  const bytes = await readBytes(request);
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

async function readBytes(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!request.body) return new Uint8Array();
  const declared = request.headers.get("content-length");
  // The server in front holds a body to its declared length, so one of a known size is read in one go.
  if (declared !== null && Number(declared) > LARGEST_BODY_BYTES) return undefined;
  if (declared !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.byteLength;
    if (length > LARGEST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return joined(chunks, length);
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
