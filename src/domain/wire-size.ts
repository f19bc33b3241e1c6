/** How many bytes of users' data one call between our parts carries at most: a quarter of what the runtime takes. */
export const MAX_CALL_BYTES = 8 * 1024 * 1024;

/** What a message of a call has beside its text: field names, ids, numbers. */
const MESSAGE_BYTES = 512;

/** How many bytes a message with this text takes in a call at most: two a character, where any is beyond Latin-1. */
export function maxWireBytes(text: string): number {
  return text.length * 2 + MESSAGE_BYTES;
}

/** Cut a list into runs of at most `maxBytes` in all; what is larger than that stands alone. */
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
