import { sha256Hex } from "#domain/hash.ts";
import { isJsonObject, type Json } from "#domain/json.ts";

import type { AgentContext } from "../context.ts";
import type { ConfiguredComponent } from "../event-types.ts";

/** The key of an owner's shared source. It includes the owner, so that owners never share sources with each other. */
export function sharingKey(
  { owner }: Pick<AgentContext, "owner">,
  { component, values }: ConfiguredComponent,
): Promise<string> {
  return sha256Hex(JSON.stringify([owner, component.id, sorted(values)]));
}

/** The same JSON for equal values, whatever the order of their fields. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
