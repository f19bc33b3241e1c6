import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";

const CHUNK_BYTES = 2 ** 16;

/**
 * Decompress gzip, with any zero bytes after it: packers used to fill a tarball up to whole blocks. `DecompressionStream`
 * refuses them. Other bytes after the end are an error.
 */
export function gunzipped(packed: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // The reader of the stream gets the error.
  pipeline(Readable.from(packed), gunzip, () => {});
  const chunks: AsyncIterator<Uint8Array> = gunzip[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
