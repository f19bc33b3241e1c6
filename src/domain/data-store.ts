import { z } from "zod";

import { isTooDeep, MAX_JSON_LEVELS } from "./json-depth.ts";

/** Maximum size of a key, a record, and a store with all its keys and values, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;
const MAX_RECORD_BYTES = 1024 * 1024;
export const MAX_STORE_BYTES = 1024 ** 3;

const MAX_TTL_SECONDS = 10 * 366 * 24 * 3600;

const StoreRequest = z.discriminatedUnion("op", [
  z.object({ op: z.literal(["get", "has", "delete"]), key: z.string() }),
  /** `value` is JSON text; without a `ttl`, in seconds, the record stays. */
  z.object({
    op: z.literal("set"),
    key: z.string(),
    value: z.string(),
    ttl: z.number().nullable(),
  }),
  z.object({ op: z.literal("set_ttl"), key: z.string(), ttl: z.number().nullable() }),
  z.object({ op: z.literal("clear") }),
  /** A page of records by key, after a key; of their keys alone if that suffices. */
  z.object({ op: z.literal("list"), after: z.string().nullable(), keysOnly: z.boolean() }),
]);

/** One request of a component to a data store. */
export type StoreRequest = z.infer<typeof StoreRequest>;

/** The result of a data store's request, or the reason of a refusal. Values are JSON text. */
export type StoreReply =
  | { ok: true; found: boolean; value?: string }
  | { ok: true; records: { key: string; value: string }[]; isLast: boolean }
  | { ok: false; message: string };

/** Parse a request of an isolate, which user code shares with the harness. Throws a ZodError if it is invalid. */
export function readStoreRequest(request: unknown): StoreRequest {
  return StoreRequest.parse(request);
}

/** The rule that a key violates, if any. */
export function problemOfKey(key: string): string | undefined {
  if (key === "") return "key: it must not be empty";
  const bytes = byteLength(key);
  if (bytes <= MAX_KEY_BYTES) return undefined;
  return `key: it may have at most ${MAX_KEY_BYTES} bytes, this one has ${bytes}`;
}

/** The rule that a value, as JSON text, violates, if any. */
export function problemOfRecord(key: string, value: string): string | undefined {
  const bytes = byteLength(key) + byteLength(value);
  if (isTooDeep(value)) return `value: it may be nested at most ${MAX_JSON_LEVELS} levels deep`;
  if (bytes <= MAX_RECORD_BYTES) return undefined;
  return `value: a record may have at most 1 MB with its key, this one has ${bytes} bytes`;
}

/** The rule that a time to live in seconds violates, if any. */
export function problemOfTtl(ttl: number | null): string | undefined {
  if (ttl === null || (ttl > 0 && ttl <= MAX_TTL_SECONDS)) return undefined;
  return `ttl: it must be a number of seconds above 0 and at most ${MAX_TTL_SECONDS}`;
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
