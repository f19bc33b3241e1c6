/**
 * The start or end of a page: the place of one item in its list, sealed into an opaque string (docs/contract.md:
 * Cursors).
 */
export type Place =
  | { kind: "row"; seq: number }
  | { kind: "event"; id: string }
  | { kind: "record"; key: string }
  | ({ kind: "hit" } & HitPlace);

/** The position in a search: the last hit of the previous page. */
export type HitPlace = { score: number; key: string };

/** A request for part of a list that reads newest first. At most one of the two cursors. */
export type PageRequest = {
  limit: number;
  after?: number | undefined;
  before?: number | undefined;
};

/** A request for items of a list that have a text in name or id, or are active or not. */
export type FilteredRequest = PageRequest & {
  q?: string | undefined;
  active?: boolean | undefined;
};

/** Part of a list, newest first, and the length of the whole list. */
export type Page<T> = { items: T[]; totalCount: number };

export function encodeCursor(place: Place): string {
  return btoa(textOf(place)).replaceAll("=", "");
}

function textOf(place: Place): string {
  if (place.kind === "row") return `r${place.seq}`;
  if (place.kind === "event") return `e${place.id}`;
  const key = encodeURIComponent(place.key);
  return place.kind === "record" ? `k${key}` : `h${place.score}:${key}`;
}

/** The cursor of a component in the results of a search. */
export function cursorOfHit({ score, key }: { score: number; key: string | null }): string {
  return encodeCursor({ kind: "hit", score, key: key ?? "" });
}

/** The sequence number in a cursor of a list of rows; undefined if it is no such cursor. */
export function rowOf(cursor: string): number | undefined {
  const [, digits] = /^r(\d{1,15})$/.exec(decoded(cursor)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The event id in a cursor of a list of events; undefined if it is no such cursor. */
export function eventOf(cursor: string): string | undefined {
  return /^e(\d{1,13}-\d{1,3})$/.exec(decoded(cursor))?.[1];
}

/** The key in a cursor of a data store's records; undefined if it is no such cursor. */
export function recordOf(cursor: string): string | undefined {
  const [, key] = /^k(.+)$/.exec(decoded(cursor)) ?? [];
  return key === undefined ? undefined : keyIn(key);
}

/** The hit in a cursor of a search; undefined if it is no such cursor. */
export function hitOf(cursor: string): HitPlace | undefined {
  const [, score, encoded] = /^h(\d{1,9}):(.+)$/.exec(decoded(cursor)) ?? [];
  const key = encoded === undefined ? undefined : keyIn(encoded);
  return key === undefined ? undefined : { score: Number(score), key };
}

function keyIn(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function decoded(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return "";
  }
}
