import { REGISTRY } from "#db/components.ts";
import * as store from "#db/registry-imports.ts";
import { arrivalMs } from "#domain/body.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { type Id, newId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { targetRefusal, type TargetRules } from "#domain/targets.ts";
import { withTimeout } from "#domain/timeout.ts";

import type { Author } from "../components.ts";
import type { AppContext } from "../context.ts";
import { start } from "./run.ts";

export type { ImportItem } from "#db/registry-imports.ts";

/** An import and its progress. */
export type RegistryImport = store.RegistryImport & { counts: store.ImportCounts };

/** Maximum unfinished imports of a user or a workspace. */
const MAX_OPEN = 5;

/** Maximum size of an uploaded archive: that of a request on most plans. */
const MAX_ARCHIVE_BYTES = 100 * 10 ** 6;

/** Begin an import: at once if the archive has a URL, else after its upload. */
export async function createImport(
  ctx: AppContext,
  { owner, user }: Author,
  url: string | undefined,
): Promise<RegistryImport> {
  if (url !== undefined) checkUrl(ctx, url);
  const id = newId("registry_import");
  const at = ctx.now();
  const row = {
    id,
    ownerId: owner,
    userId: user,
    url: url ?? null,
    state: url === undefined ? ("awaiting_archive" as const) : ("running" as const),
    error: null,
    starts: 0,
    clearedAt: null,
    createdAt: at,
    updatedAt: at,
  };
  const most = owner === REGISTRY ? Number.MAX_SAFE_INTEGER : MAX_OPEN;
  if (!(await store.insertImport(ctx.db, row, most)))
    throw new RequestError("conflict", `${MAX_OPEN} imports are under way already`);
  if (url !== undefined) await start(ctx, { id, starts: 0 });
  return readImport(ctx, owner, id);
}

/** Store the archive of an import, and begin it. `length`: its declared bytes. */
export async function uploadArchive(
  ctx: AppContext,
  user: Author["owner"],
  { id, body, length }: { id: Id<"registry_import">; body: ReadableStream; length: number },
): Promise<RegistryImport> {
  const found = await readImport(ctx, user, id);
  if (found.state !== "awaiting_archive")
    throw new RequestError("conflict", `${id} waits for no archive: it is ${found.state}`);
  if (!(length > 0))
    throw invalidInput([{ path: "content-length", message: "is required: the archive's size" }]);
  if (length > MAX_ARCHIVE_BYTES)
    throw new RequestError("too_large", "The archive may have at most 100 MB");
  await withTimeout(ctx.imports.put(id, body), arrivalMs(length), () => {
    throw new RequestError(
      "request_timeout",
      "body: must arrive within 30 seconds for each 5 MB of it",
    );
  });
  const isFirst = await start(ctx, found);
  const current = await readImport(ctx, user, id);
  if (isFirst) return current;
  // If the import of another archive has ended meanwhile, nobody else deletes this one.
  if (current.state !== "running") await ctx.imports.clear(id);
  throw new RequestError("conflict", `${id} waits for no archive: another one was sent first`);
}

/** An import that a user may see: of the user's own, or of a workspace. */
export async function readImport(
  ctx: Pick<AppContext, "db">,
  user: Author["owner"],
  id: Id<"registry_import">,
): Promise<RegistryImport> {
  const found = await store.importSeen(ctx.db, user, id);
  if (!found) throw notFound("registry_import", id);
  return found;
}

/** An owner's imports, the newest first. */
export async function listImports(
  ctx: Pick<AppContext, "db">,
  owner: Author["owner"],
  request: PageRequest,
): Promise<Page<store.RegistryImport>> {
  return store.pageOfImports(ctx.db, owner, request);
}

/** A page of the states of an import's components, after one of them. */
export async function listItems(
  ctx: Pick<AppContext, "db">,
  user: Author["owner"],
  request: {
    id: Id<"registry_import">;
    state?: store.ItemState | undefined;
    after: number;
    limit: number;
  },
): Promise<store.ImportItem[]> {
  const found = await store.itemsAfter(ctx.db, user, request);
  if (!found) throw notFound("registry_import", request.id);
  return found;
}

function checkUrl(rules: TargetRules, url: string): void {
  const isHttp = /^https?:$/.test(URL.parse(url)?.protocol ?? "");
  const message = isHttp ? targetRefusal(url, rules) : "must be an http or https URL of a tarball";
  if (message !== undefined) throw invalidInput([{ path: "archive_url", message }]);
}
