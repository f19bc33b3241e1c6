import * as store from "#db/connect/deployed-triggers.ts";
import { deleteSubscription, insertSubscription } from "#db/subscriptions.ts";
import type { Webhook } from "#db/webhooks.ts";
import { workflowById } from "#db/workflows.ts";
import { hasHost } from "#domain/address.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { type Id, isId, newId } from "#domain/ids.ts";

import type { Context } from "../context.ts";
import { changingRoutes, type RoutesContext } from "../routes.ts";
import { createWebhook, deleteWebhook, rotateWebhookSecret } from "../webhooks.ts";
import type { ProjectContext } from "./context.ts";
import { getTrigger } from "./trigger-reads.ts";

export type { Webhook } from "#db/webhooks.ts";

/** A webhook of a trigger, and its signing key if it is shown. */
export type ListeningWebhook = { webhook: Webhook; signingKey: string | undefined };

/** The listeners of a source. */
export type NewListeners = {
  source: Id<"source">;
  /** The id of the new webhook; undefined: there is none. */
  webhookId: Id<"webhook"> | undefined;
  webhookUrl: string | undefined;
  workflowId: string | undefined;
};

/** The trigger and its external user. */
export type TriggerName = { externalId: string | undefined; id: string };

/** Subscribe a new webhook and a workflow to a source of the actor's. Returns the webhook. */
export async function addListeners(
  ctx: ProjectContext,
  user: Context,
  { source, webhookId: id, webhookUrl: url, workflowId: workflow }: NewListeners,
): Promise<ListeningWebhook | undefined> {
  if (workflow !== undefined) await addWorkflow(ctx, user, { source, workflow });
  if (url === undefined) return undefined;
  return addWebhook(user, { id, source, url });
}

/** Subscribe a new webhook to a source of the actor's. */
async function addWebhook(
  user: Context,
  { id, source, url }: { id?: Id<"webhook"> | undefined; source: Id<"source">; url: string },
): Promise<ListeningWebhook> {
  if (!hasHost(url) || !URL.canParse(url))
    throw invalidInput([{ path: "webhook_url", message: "must be an http or https URL" }]);
  const created = await createWebhook(user, { id, url, connectSignature: true }).catch(
    (error: unknown) => {
      throw urlRefused(error);
    },
  );
  await listen(user, source, created.webhook.id);
  return { webhook: created.webhook, signingKey: created.signingSecret ?? undefined };
}

/** Subscribe a workflow of the project's owner to a source of the actor's. Refuses a workflow of another owner. */
async function addWorkflow(
  { db, project, caller }: Pick<ProjectContext, "caller" | "db" | "project">,
  user: Context,
  { source, workflow: id }: { source: Id<"source">; workflow: string },
): Promise<void> {
  if (caller.kind === "browser")
    throw new RequestError("forbidden", "workflow_id: a connect token names no workflows");
  const workflow = isId("workflow", id) ? await workflowById(db, undefined, id) : undefined;
  if (workflow?.ownerId !== project.ownerId)
    throw invalidInput([
      { path: "workflow_id", message: `there is no workflow ${id} of the project's owner` },
    ]);
  await listen(user, source, workflow.id);
}

/** The webhooks of a trigger, oldest first. */
export async function webhooksOf(ctx: ProjectContext, name: TriggerName): Promise<Webhook[]> {
  const { trigger } = await getTrigger(ctx, name.externalId, name.id);
  return store.webhooksOfTrigger(ctx.db, trigger.source.id);
}

/** Subscribe exactly these URLs to a trigger's events. Existing webhooks of these URLs are kept. */
export async function setWebhooks(
  ctx: ProjectContext,
  name: TriggerName,
  urls: readonly string[],
): Promise<ListeningWebhook[]> {
  const { user, trigger } = await getTrigger(ctx, name.externalId, name.id);
  const source = trigger.source.id;
  const before = await store.webhooksOfTrigger(ctx.db, source);
  const kept = before.filter(({ url }) => urls.includes(url));
  const wanted = [...new Set(urls)].filter((url) => !kept.some((one) => one.url === url));
  const added: ListeningWebhook[] = [];
  for (const url of wanted) added.push(await addWebhook(user, { source, url }));
  for (const webhook of before) if (!kept.includes(webhook)) await deleteWebhook(user, webhook.id);
  return [...kept.map((webhook) => ({ webhook, signingKey: undefined })), ...added];
}

/** A webhook of a trigger, with its signing key. */
export async function webhookWithKey(
  ctx: ProjectContext,
  name: TriggerName,
  id: string,
): Promise<ListeningWebhook> {
  const webhook = await webhookIn(ctx, name, id);
  const [newest] = await ctx.webhooks(webhook.id).secrets();
  return { webhook, signingKey: newest?.secret };
}

/** Sign with a new key; the old one also signs until its overlap ends. */
export async function renewSigningKey(
  ctx: ProjectContext,
  name: TriggerName,
  id: string,
): Promise<ListeningWebhook> {
  const { user } = await getTrigger(ctx, name.externalId, name.id);
  const webhook = await webhookIn(ctx, name, id);
  const secret = await rotateWebhookSecret(user, webhook.id, undefined);
  return { webhook, signingKey: secret ?? undefined };
}

/** The workflows that are subscribed to a trigger's events. */
export async function workflowsOf(ctx: ProjectContext, name: TriggerName): Promise<string[]> {
  const { trigger } = await getTrigger(ctx, name.externalId, name.id);
  return store.workflowsOfTrigger(ctx.db, trigger.source.id);
}

/** Subscribe exactly these workflows to a trigger's events. */
export async function setWorkflows(
  ctx: ProjectContext,
  name: TriggerName,
  ids: readonly string[],
): Promise<string[]> {
  const { user, trigger } = await getTrigger(ctx, name.externalId, name.id);
  const source = trigger.source.id;
  const before = await store.workflowsOfTrigger(ctx.db, source);
  for (const workflow of ids) await addWorkflow(ctx, user, { source, workflow });
  const owner = user.actor.id;
  for (const listenerId of before)
    if (!ids.includes(listenerId))
      await changingRoutes(ctx, [{ ownerId: owner, emitterId: source }], (change) =>
        deleteSubscription(
          change,
          { user: owner, owner },
          { emitterId: source, listenerId, eventName: "" },
        ),
      );
  return store.workflowsOfTrigger(ctx.db, source);
}

async function webhookIn(ctx: ProjectContext, name: TriggerName, id: string): Promise<Webhook> {
  const webhook = (await webhooksOf(ctx, name)).find((one) => one.id === id);
  if (!webhook) throw new RequestError("not_found", `No webhook with id ${id} of the trigger`);
  return webhook;
}

async function listen(
  user: Pick<Context, "actor" | "now"> & RoutesContext,
  emitterId: Id<"source">,
  listenerId: string,
): Promise<void> {
  const { id: ownerId } = user.actor;
  await changingRoutes(user, [{ ownerId, emitterId }], (change) =>
    insertSubscription(change, {
      id: newId("subscription"),
      ownerId,
      userId: ownerId,
      emitterId,
      listenerId,
      eventName: "",
      filter: undefined,
      createdAt: user.now(),
      sinceMs: Date.now(),
    }),
  );
}

/** A refusal of a webhook's `url`, under its name in this API. */
function urlRefused(error: unknown): unknown {
  if (!(error instanceof RequestError) || error.code !== "invalid_input") return error;
  return invalidInput([{ path: "webhook_url", message: error.message.replace(/^url: /, "") }]);
}
