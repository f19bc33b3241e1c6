/** Where a page starts or ends: the place of one item in its list, sealed into an opaque string (docs/contract.md: Cursors). */
export type Place =
  | { kind: "row"; seq: number }
  | { kind: "event"; id: string }
  | { kind: "record"; key: string }
  | ({ kind: "hit" } & HitPlace);

/** The position in a search: the last hit of the page before. */
export type HitPlace = { score: number; key: string };

/** A request for part of a list that reads newest first. At most one of the two cursors. */
export type PageRequest = {
  limit: number;
  after?: number | undefined;
  before?: number | undefined;
};

/** A request for those of a list that have a text in name or id, or are active or not. */
export type FilteredRequest = PageRequest & {
  q?: string | undefined;
  active?: boolean | undefined;
};

/** Part of a list, newest first, and how long the list is as a whole. */
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
  return key === undefined ? undefined : keyIn(key);
}

/** The hit that a cursor of a search stands for; undefined where it is no such cursor. */
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
