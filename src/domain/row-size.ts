/**
 * Cloudflare refuses a row, a text or a blob of more bytes, in D1 and in the storage of objects. Local runtimes accept
 * 4 MB.
 */
export const MAX_ROW_BYTES = 2_000_000;

/**
 * Maximum size of an event as JSON text, with its name, id and summary: the rest of a row is for data beside it, such
 * as 20 attempts of a webhook (130 KB), or a run's failure (100 KB).
 */
export const MAX_EVENT_BYTES = 1_750_000;

/** A component's definition, and the values of its props: a source's row has both during an update. */
export const MAX_CONFIGURATION_BYTES = 900_000;

/** The size in bytes of a value in a row of an object's storage: two per character if any is beyond Latin-1. */
export function storedBytes(value: unknown): number {
  if (typeof value === "string") return value.length * (/[\u0100-\uffff]/.test(value) ? 2 : 1) + 8;
  if (typeof value !== "object" || value === null) return 10;
  return Object.entries(value).reduce(
    (sum, [key, one]) => sum + storedBytes(key) + storedBytes(one),
    10,
  );
}

/** The error for a request that is too large to become an event. */
export const EVENT_TOO_LARGE = `body: it may have at most 512 KB, and the event at most ${MAX_EVENT_BYTES} bytes as JSON, with the body as text and parsed`;

/** Whether text has at most so many bytes of UTF-8. The length alone decides for most texts. */
export function fitsBytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return false;
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}
