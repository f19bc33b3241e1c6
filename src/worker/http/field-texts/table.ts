/**
 * The texts of fields, by their context and their path there, as in `Workflow: { "trigger.cron": … }`.
 * A place is a schema (`Source`), an operation (`createSource`), the resource of one (`sources`), the part of a path
 * before a parameter (`/sources`), or ANYWHERE, where the end of a path is enough.
 */
export type FieldTable<T = unknown> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/** The place of fields that mean the same wherever they stand. */
export const ANYWHERE = "*";

/** A field: its contexts, the narrowest first, and its path there. */
export type Place = { places: readonly string[]; path: readonly string[] };

/** The text of a field in a table, or undefined. */
export function valueAt<T>(table: FieldTable<T>, { places, path }: Place): T | undefined {
  // `data` has the resource itself.
  const own = (path[0] === "data" && path.length > 1 ? path.slice(1) : path).join(".");
  const named = places.find((place) => Object.hasOwn(table[place] ?? {}, own));
  if (named !== undefined) return table[named]?.[own];
  const ends = path.map((_, index) => path.slice(index).join("."));
  const end = ends.find((name) => Object.hasOwn(table[ANYWHERE] ?? {}, name));
  return end === undefined ? undefined : table[ANYWHERE]?.[end];
}

/** One table of several, in which later ones win. */
export function merged<T>(...tables: FieldTable<T>[]): FieldTable<T> {
  const places = new Set(tables.flatMap((table) => Object.keys(table)));
  return Object.fromEntries(
    [...places].map((place) => [place, Object.assign({}, ...tables.map((table) => table[place]))]),
  );
}
