import type { OwnerId } from "#domain/ids.ts";

/** The place of an owner's code among a number of places. */
export function placeOf(owner: OwnerId, count: number): number {
  return hashOf(owner) % count;
}

/** FNV-1a: spreads similar ids, and is stable across runs. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
