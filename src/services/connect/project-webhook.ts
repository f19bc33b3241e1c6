import * as store from "#db/connect/project-webhooks.ts";
import { RequestError } from "#domain/errors.ts";
import { newSigningSecret } from "#domain/signature.ts";
import { keyIdOf } from "#vault/envelope.ts";

import type { AppContext } from "../context.ts";
import { checkTarget } from "../webhooks.ts";
import type { ProjectContext } from "./context.ts";

export type { ProjectWebhook } from "#db/connect/project-webhooks.ts";

/** The webhook of an environment; undefined: there is none. */
export function getProjectWebhook(ctx: ProjectContext): Promise<store.ProjectWebhook | undefined> {
  return store.projectWebhook(ctx.db, placeOf(ctx));
}

/** Create the webhook of an environment, or change its URL. The signing key is returned only when it is created. */
export async function putProjectWebhook(
  ctx: ProjectContext,
  url: string,
): Promise<{ webhook: store.ProjectWebhook; signingKey?: string }> {
  checkTarget(ctx, url);
  const place = placeOf(ctx);
  const at = ctx.now();
  const known = await store.updateProjectWebhook(ctx.db, place, { url, updatedAt: at });
  if (known) return { webhook: known };
  const { signingKey, row } = await newKey(ctx, place);
  const webhook = await store.insertProjectWebhook(ctx.db, {
    projectId: place.project,
    environment: place.environment,
    url,
    ...row,
    createdAt: at,
    updatedAt: at,
  });
  if (!webhook) throw new RequestError("conflict", "The webhook is being made by another request");
  return { webhook, signingKey };
}

/** Sign with a new key from now on, which is returned only here. */
export async function regenerateProjectKey(
  ctx: ProjectContext,
): Promise<{ webhook: store.ProjectWebhook; signingKey: string }> {
  const place = placeOf(ctx);
  const { signingKey, row } = await newKey(ctx, place);
  const change = { ...row, updatedAt: ctx.now() };
  const webhook = await store.updateProjectWebhook(ctx.db, place, change);
  if (!webhook) throw noWebhook(place);
  return { webhook, signingKey };
}

export async function deleteProjectWebhook(ctx: ProjectContext): Promise<void> {
  const place = placeOf(ctx);
  if (!(await store.deleteProjectWebhook(ctx.db, place))) throw noWebhook(place);
}

/** The seal's place of a signing key. */
export function sealedFor({ project, environment }: store.Place): string[] {
  return ["project_webhook", project, environment];
}

async function newKey(ctx: Pick<AppContext, "vault">, place: store.Place) {
  const signingKey = newSigningSecret();
  const sealed = await ctx.vault.seal(signingKey, sealedFor(place));
  return { signingKey, row: { signingKey: sealed, keyId: keyIdOf(sealed) } };
}

function placeOf({ project, environment }: ProjectContext): store.Place {
  return { project: project.id, environment };
}

function noWebhook({ environment }: store.Place): RequestError {
  return new RequestError("not_found", `The environment ${environment} has no webhook`);
}
