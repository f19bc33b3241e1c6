import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

/** A body with more codings is not decompressed: each one is work, and senders hardly ever use two. */
const MAX_CODINGS = 4;

const DECODERS = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

type Bytes = Uint8Array<ArrayBuffer>;

/** Decompressed bytes; undefined if they are not compressed so; `too_large` if they have more than the limit. */
type Decompressed = Bytes | "too_large" | undefined;

/** Undo the codings of a `content-encoding` header, the last one first. The limit holds after each of them. */
export function decompress(bytes: Bytes, contentEncoding: string, limit: number): Decompressed {
  const codings = contentEncoding
    .toLowerCase()
    .split(/[,\s]+/)
    .filter(isCoding)
    .toReversed();
  if (codings.length > MAX_CODINGS) return undefined;
  return codings.reduce<Decompressed>(
    (content, coding) => (content instanceof Uint8Array ? decode(content, coding, limit) : content),
    bytes,
  );
}

function isCoding(word: string): boolean {
  return word !== "" && word !== "identity";
}

function decode(bytes: Bytes, coding: string, maxOutputLength: number): Decompressed {
  try {
    const decoder = DECODERS.get(coding);
    return decoder && new Uint8Array(decoder(bytes, { maxOutputLength }));
  } catch (error) {
    if (error instanceof RangeError) return "too_large";
    return coding === "deflate" ? inflateRaw(bytes, maxOutputLength) : undefined;
  }
}

/** Some senders of `deflate` omit its header. */
function inflateRaw(bytes: Bytes, maxOutputLength: number): Decompressed {
  try {
    return new Uint8Array(inflateRawSync(bytes, { maxOutputLength }));
  } catch (error) {
    return error instanceof RangeError ? "too_large" : undefined;
  }
}
