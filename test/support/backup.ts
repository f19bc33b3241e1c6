import { env } from "cloudflare:workers";

import type { Id } from "#domain/ids.ts";
import type { KeptObject, KeptStretch } from "#services/backup.ts";

import { operator } from "./client.ts";

/** The backup of one object, found by reading all pages of its kind. */
export async function keptOf(kind: string, id: string): Promise<KeptObject | undefined> {
  for (let after: number | null = 0; after !== null;) {
    const { body } = await operator.get(`/backup/objects/${kind}?after=${after}`);
    const { objects, next }: KeptStretch = body.data;
    const found = objects.find((object) => object.id === id);
    if (found) return found;
    after = next;
  }
  return undefined;
}

/** Restore objects of a kind; returns the numbers of its results. */
export const restore = async (kind: string, ...objects: (KeptObject | undefined)[]) =>
  (await operator.put(`/backup/objects/${kind}`, { objects })).body.data;

/** As in another account: the directory lists the source, but its object is empty. */
export async function forgetSource(id: Id<"source">): Promise<void> {
  await env.SOURCES.getByName(id).remove();
}
