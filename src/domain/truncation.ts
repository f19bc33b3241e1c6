import { isJsonObject, type Json, valueOf } from "./json.ts";
import { fitsBytes } from "./row-size.ts";

/** An event with more bytes of JSON is truncated, unless `expand` is requested (docs/contract.md: Event summaries). */
const SUMMARY_BYTES = 1024;

/** Maximum bytes of a truncated event. */
const TRUNCATED_BYTES = 2048;

/** Items of a list and keys of an object beyond these are left out, and those that would get less room than this. */
const ITEMS_SHOWN = 100;
const MIN_ITEM_BYTES = 32;

/** The share of a record's room that its `error` may take, without which the record is useless. */
const ERROR_SHARE = 0.6;

const ELLIPSIS = "…";
const ELLIPSIS_BYTES = 3;
const QUOTES_BYTES = 2;

/** The sizes from which JSON text is truncated, and to which. */
type Sizes = { maxBytes: number; truncatedBytes: number };

/**
 * Truncate larger JSON text, such as an event for a summary. Its shape is kept: long strings are cut inside, lists and
 * objects lose their ends, and no value changes its type.
 */
export function truncate(
  payload: string,
  { maxBytes, truncatedBytes }: Sizes = {
    maxBytes: SUMMARY_BYTES,
    truncatedBytes: TRUNCATED_BYTES,
  },
): { payload: string; truncated: boolean } {
  if (fitsBytes(payload, maxBytes)) return { payload, truncated: false };
  const value = valueOf(payload);
  const room = Math.min(truncatedBytes, Buffer.byteLength(payload) - 1);
  const shown = within(value, room) ?? null;
  return { payload: JSON.stringify(shown), truncated: shown !== value };
}

/** The value within some bytes of JSON; undefined if they have no room for any value of its type. */
function within(value: Json, room: number): Json | undefined {
  if (sizeUpTo(room, value) <= room) return value;
  if (typeof value === "string") return cutText(value, room);
  if (Array.isArray(value)) return cutList(value, room);
  return isJsonObject(value) ? cutObject(value, room) : undefined;
}

function cutText(text: string, room: number): string | undefined {
  let left = room - QUOTES_BYTES - ELLIPSIS_BYTES;
  if (left < 0) return undefined;
  let length = 0;
  // By code points, so that no character is cut in half.
  for (const character of text.slice(0, room)) {
    left -= Buffer.byteLength(JSON.stringify(character)) - QUOTES_BYTES;
    if (left < 0) break;
    length += character.length;
  }
  return text.slice(0, length) + ELLIPSIS;
}

function cutList(list: Json[], room: number): Json[] | undefined {
  const parts = list.slice(0, ITEMS_SHOWN).map((value) => ({ value, overhead: 1 }));
  if (room < 2) return undefined;
  const items = shared(parts, room - 1);
  const end = items.indexOf(undefined);
  return items.slice(0, end === -1 ? items.length : end).filter((item) => item !== undefined);
}

function cutObject(value: { [key: string]: Json }, room: number): Json | undefined {
  if (room < 2) return undefined;
  const parts = Object.entries(value)
    .slice(0, ITEMS_SHOWN)
    .map(([key, field]) => ({ key, value: field, overhead: sizeUpTo(room, key) + 2 }))
    .filter(({ overhead }) => overhead <= room / 4);
  const error = parts.find((part) => isFailure(part));
  const others = parts.filter((part) => part !== error);
  const fields = new Map<string, Json | undefined>();
  let left = room - 1;
  if (error) {
    const shown = within(error.value, Math.floor(left * ERROR_SHARE) - error.overhead);
    fields.set(error.key, shown);
    if (shown !== undefined) left -= error.overhead + sizeUpTo(left, shown);
  }
  for (const [index, shown] of shared(others, left).entries())
    fields.set(others[index]?.key ?? "", shown);
  return Object.fromEntries(
    parts.flatMap(({ key }) => {
      const shown = fields.get(key);
      return shown === undefined ? [] : [[key, shown]];
    }),
  );
}

/** The `error` of a record of `$errors`. */
function isFailure({ key, value }: { key: string; value: Json }): boolean {
  return key === "error" && isJsonObject(value) && "message" in value && "stack" in value;
}

/** A value of a list or an object, and the bytes of its comma and its key. */
type Part = { value: Json; overhead: number };

/** The first parts, as many as get enough room, each within its share: small ones whole, large ones with equal shares. */
function shared(parts: readonly Part[], room: number): (Json | undefined)[] {
  const sized = parts.map((part, index) => ({
    ...part,
    index,
    bytes: part.overhead + sizeUpTo(room, part.value),
  }));
  let needed = 0;
  const first = sized.filter(({ bytes, overhead }) => {
    needed += overhead + Math.min(bytes - overhead, MIN_ITEM_BYTES);
    return needed <= room;
  });
  const shown: (Json | undefined)[] = first.map(() => undefined);
  let left = room;
  for (const [done, part] of first.toSorted((a, b) => a.bytes - b.bytes).entries()) {
    const share = Math.floor(left / (first.length - done));
    const value = within(part.value, share - part.overhead);
    if (value === undefined) continue;
    shown[part.index] = value;
    left -= part.overhead + sizeUpTo(share, value);
  }
  return shown;
}

/** The bytes of a value as JSON; if they exceed a limit, some number beyond it. */
function sizeUpTo(limit: number, value: Json): number {
  if (typeof value === "string")
    return value.length > limit ? limit + 1 : Buffer.byteLength(JSON.stringify(value));
  if (Array.isArray(value)) return sizeOfAll(limit, value, () => 1);
  if (!isJsonObject(value)) return JSON.stringify(value).length;
  const keys = Object.keys(value);
  return sizeOfAll(
    limit,
    keys.map((key) => value[key] ?? null),
    (index) => sizeUpTo(limit, keys[index] ?? "") + 2,
  );
}

function sizeOfAll(
  limit: number,
  values: readonly Json[],
  overheadOf: (index: number) => number,
): number {
  if (values.length === 0) return 2;
  let size = 1;
  for (const [index, value] of values.entries()) {
    size += overheadOf(index);
    if (size < limit) size += sizeUpTo(limit - size, value);
    if (size >= limit) return limit + 1;
  }
  return size;
}
