/** A file in memory, compressed if that saves much. */
export type HeldFile = { bytes: Uint8Array<ArrayBuffer>; size: number; isCompressed: boolean };

/** Below this, compressing a file saves less than it costs. */
const MIN_COMPRESSED_BYTES = 8 * 2 ** 10;

const FORMAT = "deflate-raw";

/** Hold a file of a known size, read from a stream: a compressed one is never in memory as a whole. */
export async function hold(
  body: ReadableStream<Uint8Array>,
  size: number,
  compresses: boolean,
): Promise<HeldFile> {
  const isCompressed = compresses && size >= MIN_COMPRESSED_BYTES;
  const stream = isCompressed ? body.pipeThrough(new CompressionStream(FORMAT)) : body;
  return { bytes: await bytesOf(stream), size, isCompressed };
}

/** The content of a file. */
export async function contentsOf({ bytes, isCompressed }: HeldFile): Promise<Uint8Array> {
  if (!isCompressed) return bytes;
  return await bytesOf(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(FORMAT)));
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
