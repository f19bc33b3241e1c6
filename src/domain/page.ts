/** Where a page starts or ends: the place of one item in its list, sealed into an opaque string (design: Cursors). */
export type Place =
  | { kind: "row"; seq: number }
  | { kind: "event"; id: string }
  | { kind: "record"; key: string };

/** A request for part of a list that reads newest first. At most one of the two cursors. */
export type PageRequest = {
  limit: number;
  after?: number | undefined;
  before?: number | undefined;
};

/** Part of a list, newest first, and how long the list is as a whole. */
export type Page<T> = { items: T[]; totalCount: number };

export function encodeCursor(place: Place): string {
  return btoa(textOf(place)).replaceAll("=", "");
}

function textOf(place: Place): string {
  if (place.kind === "row") return `r${place.seq}`;
  return place.kind === "event" ? `e${place.id}` : `k${encodeURIComponent(place.key)}`;
}

/** The sequence number that a cursor of a list of rows stands for; undefined where it is no such cursor. */
export function rowOf(cursor: string): number | undefined {
  const [, digits] = /^r(\d{1,15})$/.exec(decoded(cursor)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The event id that a cursor of a list of events stands for; undefined where it is no such cursor. */
export function eventOf(cursor: string): string | undefined {
  return /^e(\d{1,13}-\d{1,3})$/.exec(decoded(cursor))?.[1];
}

/** The key that a cursor of a data store's records stands for; undefined where it is no such cursor. */
export function recordOf(cursor: string): string | undefined {
  const [, key] = /^k(.+)$/.exec(decoded(cursor)) ?? [];
  try {
    return key === undefined ? undefined : decodeURIComponent(key);
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
