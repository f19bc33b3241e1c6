import { withTimeout } from "#domain/timeout.ts";

/** Maximum bytes of a body that are read only to be dropped. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Maximum time of reading them. */
const MAX_MS = 5000;

/** Maximum requests whose bodies are dropped at once in an isolate. */
const MAX_REQUESTS = 100;

let requests = 0;

/**
 * Read the rest of a request's body and drop it, within bounds: a client that still sends when its connection is closed
 * loses the response.
 */
export async function dropBody({ body, headers }: Request): Promise<void> {
  if (!body || body.locked) return;
  const isTooLarge = Number(headers.get("content-length")) > MAX_BYTES;
  requests += 1;
  try {
    const reader = body.getReader();
    if (!isTooLarge && requests <= MAX_REQUESTS)
      await withTimeout(readAndDrop(reader), MAX_MS, () => undefined);
    await reader.cancel();
  } catch {
    // The client has closed its connection.
  } finally {
    requests -= 1;
  }
}

async function readAndDrop(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let left = MAX_BYTES; left > 0;) {
    const { done, value } = await reader.read();
    if (done) return;
    left -= value.byteLength;
  }
}
