import { recordAlerts } from "#db/alerts.ts";
import { KEPT_KINDS, type KeptKind, type Listed, listedAfter, listedAmong } from "#db/backup.ts";
import { uploadedImports } from "#db/registry-imports.ts";
import { checkAgain } from "#db/workflow-code.ts";
import { RequestError, errorMessage } from "#domain/errors.ts";
import { type Id, isId } from "#domain/ids.ts";
import { toJson } from "#domain/json.ts";
import { ALL_EMITTERS } from "#domain/routes.ts";
import type { StoredRecord } from "#durable-objects/data-store/contract.ts";
import type { Snapshot } from "#durable-objects/source/contract.ts";
import type { WebhookSnapshot } from "#durable-objects/webhook/contract.ts";
import type { WorkflowDeployment } from "#durable-objects/workflow/contract.ts";

import type { AppContext } from "./context.ts";

export { KEPT_KINDS };
export { FOLDERS } from "#sandbox/code-store.ts";

/** The backup of one object, sealed because it contains state and secrets. */
export type KeptObject = { id: string; sealed: string };

/** A part of a restore: objects, and then the records of data stores. */
export const RESTORED_KINDS = [...KEPT_KINDS, "records"] as const;
type RestoredKind = (typeof RESTORED_KINDS)[number];

/** `next`: the next position; null at the end. */
export type KeptStretch = { objects: KeptObject[]; next: number | null };

/** The results for some objects: restored, already present, or failed, with the reason. */
export type Revived = {
  restored: number;
  present: number;
  failed: { id: string; reason: string }[];
};

/** A range ends after so many objects, or after the one that fills it. */
const STRETCH_LENGTH = 40;
const STRETCH_BYTES = 2 * 1024 * 1024;

const IMPORTS_A_PAGE = 500;

/** Each may have megabytes of state, of which a Worker has room for few. */
const AT_ONCE = 4;

const MANIFEST = ["backup"];

/** Seal the digest of a backup's manifest: it opens with the same master key if nobody has changed it. */
export function sealManifest({ vault }: AppContext, digest: string): Promise<string> {
  return vault.seal(digest, MANIFEST);
}

/** Refuse a modified backup, or one with secrets that the master key of this platform does not open. */
export async function checkManifest(
  { vault }: AppContext,
  { digest, seal }: { digest: string; seal: string },
): Promise<void> {
  const sealed = await vault.open(seal, MANIFEST).catch((error: unknown) => {
    const reason = errorMessage(error);
    throw new RequestError("conflict", `The backup does not belong to this MASTER_KEY: ${reason}`);
  });
  if (sealed !== digest)
    throw new RequestError("conflict", "The manifest of the backup was changed after it was made");
}

/** The state of the objects of one kind that is not in the directory, a range at a time. */
export async function keepObjects(
  ctx: AppContext,
  kind: KeptKind,
  after: number,
): Promise<KeptStretch> {
  const rows = await listedAfter(ctx.db, kind, { after, limit: STRETCH_LENGTH });
  const objects: KeptObject[] = [];
  let bytes = 0;
  let last = after;
  for (let from = 0; from < rows.length && bytes < STRETCH_BYTES; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const kept = await Promise.all(some.map((row) => keep(ctx, kind, row)));
    objects.push(...kept.flatMap((object) => object ?? []));
    bytes = objects.reduce((sum, { sealed }) => sum + sealed.length, 0);
    last = some.at(-1)?.seq ?? last;
  }
  return { objects, next: rows.length === 0 ? null : last };
}

/** Some records of a data store, after a key. */
export async function keepRecords(
  ctx: Pick<AppContext, "dataStores" | "vault">,
  id: Id<"data_store">,
  after: string,
): Promise<{ objects: KeptObject[]; next: string | null }> {
  const { records, isLast } = await ctx.dataStores(id).stretch(after);
  const sealed = await ctx.vault.seal(JSON.stringify(records), placeOf({ id }));
  const next = isLast ? null : (records.at(-1)?.key ?? null);
  return { objects: records.length === 0 ? [] : [{ id, sealed }], next };
}

/** Imports with archives in the backup: those that were uploaded, and have not ended. */
export async function keptImports(
  { db }: Pick<AppContext, "db">,
  after: string,
): Promise<{ ids: Id<"registry_import">[]; next: string | null }> {
  const ids = await uploadedImports(db, { after, limit: IMPORTS_A_PAGE });
  return { ids, next: ids.length < IMPORTS_A_PAGE ? null : (ids.at(-1) ?? null) };
}

/** Restore objects from a backup. Idempotent. */
export async function restoreObjects(
  ctx: AppContext,
  kind: RestoredKind,
  objects: readonly KeptObject[],
): Promise<Revived> {
  const ids = objects.map(({ id }) => id);
  const listed = await listedAmong(ctx.db, kind === "records" ? "data_stores" : kind, ids);
  // Cached listeners are from a database that the backup has replaced.
  for (const owner of new Set(listed.values()))
    await ctx.owners(owner).endRoutesChange(ctx.requestId, [ALL_EMITTERS]);
  const revived: Revived = { restored: 0, present: 0, failed: [] };
  for (let from = 0; from < objects.length; from += AT_ONCE) {
    const some = objects.slice(from, from + AT_ONCE).filter(({ id }) => listed.has(id));
    await Promise.all(some.map((object) => note(revived, object, revive(ctx, kind, object))));
  }
  return revived;
}

async function keep(ctx: AppContext, kind: KeptKind, row: Listed): Promise<KeptObject | undefined> {
  const text = await HOLDERS[kind].keep(ctx, row);
  return text === null
    ? undefined
    : { id: row.id, sealed: await ctx.vault.seal(text, placeOf(row)) };
}

async function revive(ctx: AppContext, kind: RestoredKind, object: KeptObject): Promise<boolean> {
  const text = await ctx.vault.open(object.sealed, placeOf(object));
  const holders = { ...HOLDERS, records: { revive: reviveRecords } };
  const isRevived = await holders[kind].revive(ctx, object.id, text);
  // Its alerts were open when the backup was made; those that still hold are opened anew.
  const report = { subjectId: object.id, version: ctx.now() * 1000, open: [] };
  if (isRevived) await recordAlerts(ctx.db, report, Date.now());
  return isRevived;
}

async function note(revived: Revived, { id }: KeptObject, work: Promise<boolean>): Promise<void> {
  try {
    if (await work) revived.restored += 1;
    else revived.present += 1;
  } catch (error) {
    revived.failed.push({ id, reason: errorMessage(error) });
  }
}

function placeOf({ id }: { id: string }): string[] {
  return [...MANIFEST, id];
}

type Holder = {
  /** JSON text of an object's state; null if there is none. */
  keep: (ctx: AppContext, row: Listed) => Promise<string | null>;
  /** False if the object is in use already. */
  revive: (ctx: AppContext, id: string, text: string) => Promise<boolean>;
};

async function reviveRecords(
  ctx: Pick<AppContext, "dataStores">,
  id: string,
  text: string,
): Promise<boolean> {
  const records: StoredRecord[] = JSON.parse(text);
  const taken = isId("data_store", id) ? await ctx.dataStores(id).restore(records) : null;
  if (taken === null) throw new Error("The store does not exist, or has no room for its records");
  return taken > 0;
}

const HOLDERS: Record<KeptKind, Holder> = {
  sources: {
    keep: async (ctx, { id }) => (isId("source", id) ? ctx.sources(id).snapshot() : null),
    async revive(ctx, id, text) {
      if (!isId("source", id)) return false;
      const snapshot: Snapshot = JSON.parse(text);
      const deployment = { ...snapshot.deployment, origin: ctx.origin };
      return ctx.sources(id).restore(toJson({ ...snapshot, deployment }));
    },
  },
  workflows: {
    async keep(ctx, { id, active }) {
      const deployment = isId("workflow", id) ? await ctx.workflows(id).current() : null;
      return deployment && JSON.stringify({ deployment, active: active === 1 });
    },
    async revive(ctx, id, text) {
      if (!isId("workflow", id)) return false;
      const workflow = ctx.workflows(id);
      if ((await workflow.current()) !== null) return false;
      const kept: { deployment: string; active: boolean } = JSON.parse(text);
      const deployment: WorkflowDeployment = JSON.parse(kept.deployment);
      // The directory may be from another time: the sweep deploys the code that it names, and any later deployment
      // replaces this one.
      await workflow.deploy({ ...deployment, deployedMs: 0, origin: ctx.origin }, kept.active);
      await checkAgain(ctx.db, id, ctx.now());
      return true;
    },
  },
  webhooks: {
    async keep(ctx, { id, url, active, owner_id: owner }) {
      if (!isId("webhook", id)) return null;
      const secrets = await ctx.webhooks(id).secrets();
      const connectSignature = isId("external_user", owner);
      const settings = { id, url, active: active === 1, connectSignature };
      return JSON.stringify({ settings, secrets } satisfies WebhookSnapshot);
    },
    async revive(ctx, id, text) {
      return isId("webhook", id) && ctx.webhooks(id).restore(JSON.parse(text));
    },
  },
  data_stores: {
    keep: async () => "{}",
    async revive(ctx, id) {
      if (isId("data_store", id)) await ctx.dataStores(id).open();
      return true;
    },
  },
};
