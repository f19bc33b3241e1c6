import { deliveryKeyOf } from "./delivery-ids.ts";

/** The position of one item in its list. Its text is encrypted into a cursor (docs/contract.md: Cursors). */
export type CursorPosition =
  | { kind: "row"; seq: number }
  | { kind: "event"; id: string }
  | { kind: "record"; key: string }
  | { kind: "delivery"; id: string }
  | ({ kind: "hit" } & HitPlace)
  | ({ kind: "action" } & ActionPlace);

/** The position in a search: the last hit of the previous page. */
export type HitPlace = { score: number; key: string };

/** The position in the actions of several apps: the index of an app, and its last action of the previous page. */
export type ActionPlace = { app: number; after: HitPlace | undefined };

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

/** The text of a position, which one of the functions below reads. */
export function cursorText(position: CursorPosition): string {
  switch (position.kind) {
    case "row":
      return `r${position.seq}`;
    case "event":
      return `e${position.id}`;
    case "record":
      return `k${encodeURIComponent(position.key)}`;
    case "delivery":
      return `d${position.id}`;
    case "hit":
      return hitText(position);
    case "action":
      return `a${position.app}${position.after ? hitText(position.after) : ""}`;
  }
}

/** The position of a component in the results of a search. */
export function positionOfHit({ score, key }: { score: number; key: string | null }) {
  return { kind: "hit", score, key: key ?? "" } as const;
}

/** The sequence number in the text of a row's position; undefined if it is no such text. */
export function rowOf(text: string): number | undefined {
  const [, digits] = /^r(\d{1,15})$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The event id in the text of an event's position; undefined if it is no such text. */
export function eventOf(text: string): string | undefined {
  return /^e(\d{1,13}-\d{1,3})$/.exec(text)?.[1];
}

/** The key in the text of a data store's record; undefined if it is no such text. */
export function recordOf(text: string): string | undefined {
  const [, key] = /^k(.+)$/.exec(text) ?? [];
  return key === undefined ? undefined : keyIn(key);
}

/** The id in the text of a delivery's position; undefined if it is no such text. */
export function deliveryOf(text: string): string | undefined {
  const [, id] = /^d(.+)$/.exec(text) ?? [];
  return id !== undefined && deliveryKeyOf(id) ? id : undefined;
}

/** The hit in the text of a search's position; undefined if it is no such text. */
export function hitOf(text: string): HitPlace | undefined {
  const [, score, encoded] = /^h(\d{1,9}):(.*)$/.exec(text) ?? [];
  const key = encoded === undefined ? undefined : keyIn(encoded);
  return key === undefined ? undefined : { score: Number(score), key };
}

/** The place in the text of a position in the actions of apps; undefined if it is no such text. */
export function actionOf(text: string): ActionPlace | undefined {
  const [, app, hit = ""] = /^a(\d{1,3})(h.+)?$/.exec(text) ?? [];
  if (app === undefined) return undefined;
  const after = hit === "" ? undefined : hitOf(hit);
  return hit !== "" && !after ? undefined : { app: Number(app), after };
}

/**
 * The text in a cursor of the releases that did not encrypt them. Both of its forms are read for one release: the
 * position in base64, and the id of a delivery.
 */
export function textOfPlainCursor(cursor: string): string {
  if (cursor.startsWith("dlv_")) return `d${cursor}`;
  try {
    return atob(cursor);
  } catch {
    return "";
  }
}

/** A cursor in the form of those releases, which `textOfPlainCursor` reads. */
export function plainCursor(position: CursorPosition): string {
  return btoa(cursorText(position)).replaceAll("=", "");
}

function hitText({ score, key }: HitPlace): string {
  return `h${score}:${encodeURIComponent(key)}`;
}

function keyIn(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
