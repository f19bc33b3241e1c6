import { isJsonObject, type Json } from "#domain/json.ts";

export type Schema = { [keyword: string]: Json };

/**
 * Add hand-written keywords to a generated schema; null removes one. Throws if they describe a property that the
 * generated schema does not have, so that a renamed field is noticed.
 */
export function merge(generated: Schema, written: Schema, place = ""): Schema {
  const merged: Schema = { ...generated };
  for (const [key, value] of Object.entries(written)) {
    const present = merged[key];
    if (place.endsWith("/properties") && present === undefined)
      throw new Error(`There is no property ${place}/${key}`);
    if (value === null) delete merged[key];
    else if (isJsonObject(value) && isJsonObject(present))
      merged[key] = merge(present, value, `${place}/${key}`);
    else merged[key] = value;
  }
  return merged;
}

/** A pattern for text that is not blank and, without spaces around it, has at most `max` characters. */
export function trimmed(max: number): string {
  return `^\\s*\\S([\\s\\S]{0,${max - 2}}\\S)?\\s*$`;
}

/** A rule for documents that match a condition. */
export function when(condition: Schema, rule: Schema): Schema {
  // oxlint-disable-next-line unicorn/no-thenable -- the name of JSON Schema's keyword.
  return { if: condition, then: rule };
}
