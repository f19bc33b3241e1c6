/**
 * The texts of fields by context and path, as in `Workflow: { "trigger.cron": … }`.
 * A context is a schema (`Source`), an operation (`createSource`), its resource (`sources`), the part of a path
 * before a parameter (`/sources`), or ANYWHERE, which matches the end of a path.
 */
export type FieldTable<T = unknown> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/** The context of fields with the same meaning everywhere. */
export const ANYWHERE = "*";

/** A field: its contexts, narrowest first, and its path. */
export type Place = { places: readonly string[]; path: readonly string[] };

/** The text of a field in a table, or undefined. */
export function valueAt<T>(table: FieldTable<T>, { places, path }: Place): T | undefined {
  // `data` is the resource itself.
  const own = (path[0] === "data" && path.length > 1 ? path.slice(1) : path).join(".");
  const named = places.find((place) => Object.hasOwn(table[place] ?? {}, own));
  if (named !== undefined) return table[named]?.[own];
  const ends = path.map((_, index) => path.slice(index).join("."));
  const end = ends.find((name) => Object.hasOwn(table[ANYWHERE] ?? {}, name));
  return end === undefined ? undefined : table[ANYWHERE]?.[end];
}

/** Merge tables; later ones take precedence. */
export function merged<T>(...tables: FieldTable<T>[]): FieldTable<T> {
  const places = new Set(tables.flatMap((table) => Object.keys(table)));
  return Object.fromEntries(
    [...places].map((place) => [place, Object.assign({}, ...tables.map((table) => table[place]))]),
  );
}
