import * as store from "#db/connect/deployed-triggers.ts";
import { sourceById } from "#db/sources.ts";
import { newId } from "#domain/ids.ts";
import type { Values } from "#domain/props.ts";

import type { AppContext } from "../context.ts";
import { changingRoutes, type RoutesContext } from "../routes.ts";
import { createSource } from "../sources/create.ts";
import { deleteSource } from "../sources/delete.ts";
import { updateSource } from "../sources/update.ts";
import { deleteWebhook } from "../webhooks.ts";
import { type ComponentName, findComponent } from "./components.ts";
import { asExternalUser, type ProjectContext } from "./context.ts";
import { openDynamicProps } from "./dynamic-props.ts";
import { addListeners } from "./trigger-listeners.ts";
import { getTrigger, type Trigger, triggerOf } from "./trigger-reads.ts";

/** A trigger to deploy for an external user, and its listeners. */
export type NewTrigger = Omit<ComponentName, "type"> & {
  externalId: string | undefined;
  configuredProps: Values;
  dynamicPropsId: string | undefined;
  webhookUrl: string | undefined;
  workflowId: string | undefined;
  emitOnDeploy: boolean;
};

/** Absent: unchanged. */
export type TriggerChange = {
  name?: string | undefined;
  active?: boolean | undefined;
  configuredProps?: Values | undefined;
  emitOnDeploy?: boolean | undefined;
};

/**
 * Deploy a trigger for an external user. Its webhook and its workflow are subscribed before it runs, so that they
 * receive the events of its deploy hook. `signingKey`: of the webhook; returned only here.
 */
export async function deployTrigger(
  ctx: ProjectContext,
  { externalId, webhookUrl, workflowId, emitOnDeploy, ...input }: NewTrigger,
): Promise<{ trigger: Trigger; signingKey: string | undefined }> {
  const component = await findComponent(ctx, { ...input, type: "source" });
  const user = await asExternalUser(ctx, externalId);
  // Refuses an id of another user or component.
  await openDynamicProps(user, component, input.dynamicPropsId);
  const id = newId("source");
  // Recorded before it is created, so that it is found if the process crashes.
  const webhookId = webhookUrl === undefined ? null : newId("webhook");
  await store.noteTrigger(ctx.db, {
    sourceId: id,
    componentKey: component.key,
    emitOnDeploy,
    webhookId,
    createdAt: ctx.now(),
    projectId: ctx.project.id,
    environment: ctx.environment,
  });
  try {
    const listeners = { source: id, webhookId: webhookId ?? undefined, webhookUrl, workflowId };
    const added = await addListeners(ctx, user, listeners);
    const { configuredProps } = input;
    await createSource(user, { id, componentId: component.id, configuredProps, emitOnDeploy });
    return { trigger: await triggerOf(ctx, user, id), signingKey: added?.signingKey };
  } catch (error) {
    // An existing source stays: the caller finds it in the list.
    if (!(await sourceById(ctx.db, user.actor.id, id)))
      await forgetTrigger(ctx, { sourceId: id, webhookId });
    throw error;
  }
}

/** Delete the leftovers of a trigger without a source. */
export async function forgetTrigger(
  ctx: Pick<AppContext, "webhooks"> & RoutesContext,
  left: store.LeftOver,
): Promise<void> {
  if (left.webhookId !== null) await ctx.webhooks(left.webhookId).remove();
  // Its source does not exist (any more): the subscriptions route nothing.
  await changingRoutes(ctx, [], (change) => store.deleteTriggerRows(change, left));
}

/** Change a trigger. New values are merged into its current ones. */
export async function updateTrigger(
  ctx: ProjectContext,
  externalId: string | undefined,
  { id, ...change }: TriggerChange & { id: string },
): Promise<Trigger> {
  const { user, trigger } = await getTrigger(ctx, externalId, id);
  const { source } = trigger;
  const { name, configuredProps, active = source.active, emitOnDeploy } = change;
  await updateSource(user, source.id, { name, configuredProps, active });
  if (emitOnDeploy !== undefined) await store.updateTrigger(ctx.db, source.id, { emitOnDeploy });
  return triggerOf(ctx, user, source.id);
}

/** Delete a trigger with its webhooks. Its `deactivate` hook runs first; an error in it does not stop the deletion. */
export async function deleteTrigger(
  ctx: ProjectContext,
  externalId: string | undefined,
  id: string,
): Promise<void> {
  const { user, trigger } = await getTrigger(ctx, externalId, id);
  const webhooks = await store.webhooksOfTrigger(ctx.db, trigger.source.id);
  await deleteSource(user, trigger.source.id);
  for (const webhook of webhooks) await deleteWebhook(user, webhook.id);
  await forgetTrigger(ctx, { sourceId: trigger.source.id, webhookId: null });
}
