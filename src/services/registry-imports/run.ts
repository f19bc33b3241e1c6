import { insertItems } from "#db/registry-import-items.ts";
import * as store from "#db/registry-imports.ts";
import type { Id } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../context.ts";
import { importComponents, type Range } from "./components.ts";

/** Maximum ended imports of an owner that are kept. */
const KEPT_IMPORTS = 20;

/** The time without progress after which the workflow of an import is checked. */
const QUIET_SECONDS = 30;

/** The time for the engine to record the end of a workflow, after the end of its import. */
const SETTLING_SECONDS = 60;

/** Maximum time to wait for an archive. */
const UPLOAD_SECONDS = 24 * 60 * 60;

/** Maximum starts of a workflow for one import. */
const MAX_STARTS = 5;

const IMPORTS_A_SWEEP = 20;

type ImportContext = Pick<AppContext, "db" | "imports" | "now">;

/**
 * Unpack the archive of an import and record its components. `refusal`: the reason of a permanent failure. Idempotent.
 */
export async function unpackImport(
  ctx: Pick<AppContext, "db" | "imports">,
  id: Id<"registry_import">,
): Promise<{ components: number; refusal: string | null }> {
  const found = await store.importById(ctx.db, id);
  if (found?.state !== "running") return { components: 0, refusal: null };
  const unpacked = await ctx.imports.unpack(id, found.url);
  // Thrown, so that the step is retried: the server may recover.
  if (!unpacked.ok && unpacked.upstream) throw new Error(unpacked.reason);
  if (!unpacked.ok) return { components: 0, refusal: unpacked.reason };
  await insertItems(ctx.db, id, unpacked.components);
  return { components: unpacked.components.length, refusal: null };
}

/** Import a range of an import's components. Returns the reason if the import must not continue. */
export async function importSome(
  ctx: AppContext,
  id: Id<"registry_import">,
  range: Range,
): Promise<string | null> {
  const found = await store.importById(ctx.db, id);
  if (found?.state !== "running") return null;
  if (!(await store.importSeen(ctx.db, found.userId, id)))
    return "The user who started it is no longer a member of the workspace";
  await importComponents(ctx, found, range);
  return null;
}

/** Record the end of an import, and delete its files. The sweep deletes the rest of it. */
export async function endImport(
  ctx: ImportContext,
  id: Id<"registry_import">,
  error: string | null,
): Promise<void> {
  await store.noteEnd(ctx.db, id, { error, at: ctx.now() });
  await ctx.imports.clear(id);
}

/** Start the workflow of an import, unless another caller does. */
export async function start(
  ctx: ImportContext,
  { id, starts }: Pick<store.RegistryImport, "id" | "starts">,
): Promise<boolean> {
  const number = await store.noteStart(ctx.db, id, { starts, at: ctx.now() });
  if (number === undefined) return false;
  await ctx.imports.start(id, nameOf(id, number));
  return true;
}

/** Resume imports without a workflow, and delete leftovers of ended ones. Idempotent. */
export async function sweepImports(
  ctx: ImportContext & Pick<AppContext, "requestId">,
): Promise<number> {
  const now = ctx.now();
  const before = {
    awaiting: now - UPLOAD_SECONDS,
    running: now - QUIET_SECONDS,
    ended: now - SETTLING_SECONDS,
  };
  const quiet = await store.quietImports(ctx.db, { before, limit: IMPORTS_A_SWEEP });
  let moved = 0;
  for (const found of quiet) {
    try {
      if (await settle(ctx, found)) moved += 1;
    } catch (error) {
      log("import_unswept", { request_id: ctx.requestId, owner_id: found.ownerId, error });
    }
  }
  return moved;
}

async function settle(ctx: ImportContext, found: store.RegistryImport): Promise<boolean> {
  const { id, state, starts } = found;
  if (state === "awaiting_archive") {
    await endImport(ctx, id, "No archive was uploaded within a day");
    return true;
  }
  if (state !== "running") {
    await clear(ctx, found);
    return true;
  }
  if (await ctx.imports.resume(nameOf(id, starts))) return false;
  if (starts < MAX_STARTS) return start(ctx, found);
  await endImport(ctx, id, `It broke off ${MAX_STARTS} times`);
  return true;
}

/** The engine bills its storage, and a local one keeps memory, descriptors and files for each workflow. */
async function clear(
  ctx: ImportContext,
  { id, ownerId, starts }: Pick<store.RegistryImport, "id" | "ownerId" | "starts">,
): Promise<void> {
  await ctx.imports.clear(id);
  await ctx.imports.forget(Array.from({ length: starts }, (_, index) => nameOf(id, index + 1)));
  await store.noteCleared(ctx.db, id, ctx.now());
  await store.forgetImports(ctx.db, ownerId, KEPT_IMPORTS);
}

function nameOf(id: Id<"registry_import">, starts: number): string {
  return `${id}-${starts}`;
}
