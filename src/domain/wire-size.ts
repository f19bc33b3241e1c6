/** Maximum bytes of user data in one RPC call between our own parts: a quarter of the runtime's limit. */
export const MAX_CALL_BYTES = 8 * 1024 * 1024;

/** Bytes of a message beside its text: field names, ids, numbers. */
const MESSAGE_BYTES = 512;

/** Maximum size in bytes of a message with this text in a call: two per character if any is beyond Latin-1. */
export function maxWireBytes(text: string): number {
  return text.length * 2 + MESSAGE_BYTES;
}

/** Split a list into chunks of at most `maxBytes`; a larger item gets a chunk of its own. */
export function chunksOf<T>(
  list: readonly T[],
  bytesOf: (one: T) => number,
  maxBytes: number = MAX_CALL_BYTES,
): T[][] {
  const chunks: T[][] = [];
  let room = 0;
  for (const one of list) {
    const bytes = bytesOf(one);
    const last = chunks.at(-1);
    if (last && bytes <= room) last.push(one);
    else {
      chunks.push([one]);
      room = maxBytes;
    }
    room -= bytes;
  }
  return chunks;
}
