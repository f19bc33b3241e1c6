import { z } from "@hono/zod-openapi";

import type { ImportItem, RegistryImport } from "#services/registry-imports/imports.ts";

import { digits, idOf, Limit, PageQuery } from "./openapi.ts";

const ItemState = z.enum(["waiting", "published", "unchanged", "refused", "failed"]);

const summary = {
  id: z.string(),
  owner_id: z.string(),
  archive_url: z.string().nullable(),
  state: z.enum(["awaiting_archive", "running", "ended", "failed"]),
  error: z.string().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
};

/** An import in a list. */
export const ImportSummary = z.object(summary).openapi("RegistryImportSummary");

/** An import and its progress. */
export const ImportBody = z
  .object({ ...summary, total: z.int(), counts: z.record(ItemState, z.int()) })
  .openapi("RegistryImport");

/** The state of one of its components. */
export const ItemBody = z
  .object({
    number: z.int(),
    path: z.string(),
    state: ItemState,
    key: z.string().nullable(),
    version: z.string().nullable(),
    license: z.string().nullable(),
    message: z.string().nullable(),
  })
  .openapi("ImportedComponent");

export const ImportId = z.object({ id: idOf("registry_import", "ri_5d0") });

export const Archive = z.string().openapi({ format: "binary" });

export const NewImport = {
  archive_url: z.string().max(2000).nullish(),
};

export const ImportPage = PageQuery;

export const ItemQuery = z.object({
  state: ItemState.optional(),
  limit: Limit,
  after: digits(z.int().min(-1)).default(-1),
});

export function presentSummary(
  found: Omit<RegistryImport, "counts">,
): z.input<typeof ImportSummary> {
  return {
    id: found.id,
    owner_id: found.ownerId,
    archive_url: found.url,
    state: found.state,
    error: found.error,
    created_at: found.createdAt,
    updated_at: found.updatedAt,
  };
}

export function presentImport(found: RegistryImport): z.input<typeof ImportBody> {
  const { counts } = found;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { ...presentSummary(found), total, counts };
}

export function presentItem(item: ImportItem): z.input<typeof ItemBody> {
  const { number, path, state, key, version, license, message } = item;
  return { number, path, state, key, version, license, message };
}
