import { resealAccount } from "#db/accounts.ts";
import { resealProjectWebhook } from "#db/connect/project-webhooks.ts";
import {
  resealClient,
  resealNotification,
  resealOverride,
  sealedOfProjects,
} from "#db/connect/sealed.ts";
import { resealOauthApp } from "#db/oauth-apps.ts";
import {
  sealedRows,
  type SealedAccount,
  type SealedApp,
  type SealedProjectWebhook,
} from "#db/sealed.ts";
import { log } from "#telemetry/log.ts";
import { keyIdOf } from "#vault/envelope.ts";

import { placeOf } from "./connect/app-overrides.ts";
import { placeOfBody } from "./connect/notify.ts";
import { placeOfSecret } from "./connect/project-oauth-apps.ts";
import { sealedFor } from "./connect/project-webhook.ts";
import type { AppContext } from "./context.ts";
import { rewrapWorkflow } from "./workflows/rewrap.ts";

/** Maximum rows that one call checks: each source requires a call to its object. */
const STRETCH = 100;

/** `left`: ids of secrets that could not be rotated now. `next`: the next position; null at the end. */
export type Rewrapped = { checked: number; left: string[]; next: number | null };

/**
 * Rewrap a range of all secrets with the current master key: of apps, accounts, projects, sources, webhooks and
 * workflows. Idempotent; secrets can be used meanwhile.
 */
export async function rewrapSecrets(ctx: AppContext, after: number): Promise<Rewrapped> {
  const upTo = after + STRETCH;
  const [rows, ofProjects] = await Promise.all([
    sealedRows(ctx.db, { after, upTo }),
    sealedOfProjects(ctx.db, { after, upTo }),
  ]);
  const work = [
    ...rows.apps.map((app) => [app.app, () => rewrapApp(ctx, app)] as const),
    ...rows.projectWebhooks.map(
      (row) => [`${row.projectId} ${row.environment}`, () => rewrapProject(ctx, row)] as const,
    ),
    ...ofProjects.clients.map(
      (row) => [row.id, () => rewrap(ctx, row, placeOfSecret(row.id), resealClient)] as const,
    ),
    ...ofProjects.overrides.map(
      (row) => [row.id, () => rewrap(ctx, row, placeOf(row.id), resealOverride)] as const,
    ),
    ...ofProjects.notifications.map(
      (row) => [row.id, () => rewrap(ctx, row, placeOfBody(row.id), resealNotification)] as const,
    ),
    ...rows.accounts.map((account) => [account.id, () => rewrapAccount(ctx, account)] as const),
    ...rows.sources.map((id) => [id, () => ctx.sources(id).rewrap()] as const),
    ...rows.webhooks.map((id) => [id, () => ctx.webhooks(id).rewrap()] as const),
    ...rows.workflows.map((id) => [id, () => rewrapWorkflow(ctx, id)] as const),
  ];
  const left: string[] = [];
  await Promise.all(
    work.map(async ([id, done]) => {
      if (!(await succeeds(ctx, id, done))) left.push(id);
    }),
  );
  return { checked: work.length, left, next: rows.isLast && ofProjects.isLast ? null : upTo };
}

async function succeeds(
  ctx: Pick<AppContext, "requestId">,
  id: string,
  done: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await done();
  } catch (error) {
    log("secrets_unwrapped", { request_id: ctx.requestId, subject_id: id, error });
    return false;
  }
}

async function rewrapAccount(
  ctx: Pick<AppContext, "db" | "vault">,
  account: SealedAccount,
): Promise<boolean> {
  const place = ["account", account.id, account.ownerId];
  const credentials = await ctx.vault.rewrap(account.credentials, place);
  if (credentials === undefined) return true;
  return resealAccount(ctx.db, account, { credentials, keyId: keyIdOf(credentials) });
}

async function rewrapApp(ctx: Pick<AppContext, "db" | "vault">, app: SealedApp): Promise<boolean> {
  const clientSecret = await ctx.vault.rewrap(app.clientSecret, ["oauth_app", app.app]);
  if (clientSecret === undefined) return true;
  return resealOauthApp(ctx.db, app, { clientSecret, keyId: keyIdOf(clientSecret) });
}

async function rewrap<T extends { sealed: string }>(
  { db, vault }: Pick<AppContext, "db" | "vault">,
  row: T,
  place: string[],
  reseal: (
    db: AppContext["db"],
    row: T,
    renewed: { sealed: string; keyId: string },
  ) => Promise<boolean>,
): Promise<boolean> {
  const sealed = await vault.rewrap(row.sealed, place);
  return sealed === undefined || reseal(db, row, { sealed, keyId: keyIdOf(sealed) });
}

async function rewrapProject(
  ctx: Pick<AppContext, "db" | "vault">,
  { projectId: project, environment, signingKey: sealed }: SealedProjectWebhook,
): Promise<boolean> {
  const place = { project, environment };
  const signingKey = await ctx.vault.rewrap(sealed, sealedFor(place));
  if (signingKey === undefined) return true;
  const renewed = { signingKey, keyId: keyIdOf(signingKey) };
  return resealProjectWebhook(ctx.db, { ...place, signingKey: sealed }, renewed);
}
