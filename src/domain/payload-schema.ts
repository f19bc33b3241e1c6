import { isJsonObject, type Json } from "./json.ts";
import type { JsonSchema } from "./prop-schema.ts";

/** Maximum depth of a schema, fields of an object in it, and fields in total. */
const MAX_DEPTH = 5;
const MAX_FIELDS = 50;
const MAX_ALL_FIELDS = 200;

/** Maximum items of a list that are read. */
const MAX_ITEMS = 10;

/** The field names that a schema shows. A name comes from outside, too: one that could be a sentence is left out. */
const FIELD = /^[\w$.@-]{1,64}$/;

/** The remaining number of fields. */
type Room = { fields: number };

/** The fields of the schema of events like some samples, each as it is emitted. Undefined: there are no samples. */
export function fieldsOfSamples(samples: readonly Json[]): JsonSchema | undefined {
  if (samples.length === 0) return undefined;
  const data = samples.map((sample) => (isJsonObject(sample) ? sample : { value: sample }));
  return fieldsOf(data, 1, { fields: MAX_ALL_FIELDS });
}

function schemaOf(samples: readonly Json[], depth: number, room: Room): JsonSchema {
  const types = [...new Set(samples.map((sample) => typeOf(sample)))];
  const objects = samples.filter((sample) => isJsonObject(sample));
  const items = samples.flatMap((sample) =>
    Array.isArray(sample) ? sample.slice(0, MAX_ITEMS) : [],
  );
  const isShown = depth < MAX_DEPTH;
  return {
    ...(types.length > 0 && { type: types.length === 1 ? (types[0] ?? null) : types }),
    ...(isShown && objects.length > 0 && { properties: fieldsOf(objects, depth + 1, room) }),
    ...(isShown && items.length > 0 && { items: schemaOf(items, depth + 1, room) }),
  };
}

function fieldsOf(
  objects: readonly { [key: string]: Json }[],
  depth: number,
  room: Room,
): JsonSchema {
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  const shown = [...names].filter((name) => FIELD.test(name) && name !== "__proto__");
  const fields: [string, JsonSchema][] = [];
  for (const name of shown.slice(0, MAX_FIELDS)) {
    if (room.fields === 0) break;
    room.fields -= 1;
    const values = objects.flatMap((object) =>
      Object.hasOwn(object, name) ? [object[name] ?? null] : [],
    );
    fields.push([name, schemaOf(values, depth, room)]);
  }
  return Object.fromEntries(fields);
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}
