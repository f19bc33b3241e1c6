import { RoutesChange } from "#db/routes-change.ts";
import { reserveSource } from "#db/source-changes.ts";
import type { NewSource, Source } from "#db/sources.ts";
import { apphooksOf } from "#domain/apphooks.ts";
import { invalidInput } from "#domain/errors.ts";
import { type Id, newId, type OwnerId } from "#domain/ids.ts";
import { shownValues, type Values } from "#domain/props.ts";
import { slugOf } from "#domain/slug.ts";
import { log } from "#telemetry/log.ts";

import { ownerFor, planFor } from "../access.ts";
import type { Component } from "../components.ts";
import type { AppContext, Context } from "../context.ts";
import type { RoutesContext } from "../routes.ts";
import { labelsOf, provideScript } from "../scripts.ts";
import { chosenComponent, type ComponentChoice } from "./choice.ts";
import { type Configuration, configure } from "./configuration.ts";
import {
  checkShards,
  deploymentOf,
  endpointsFor,
  hookFailed,
  pendingChange,
} from "./deployment.ts";
import { forgetSource } from "./forget.ts";

export type SourceInput = ComponentChoice & {
  name?: string | undefined;
  configuredProps?: Values | undefined;
  workspace?: Id<"workspace"> | undefined;
  /** Its id, if something was created for it before. Absent: a new one. */
  id?: Id<"source"> | undefined;
  /** Whether events of the `deploy` hook are kept and delivered. Absent: yes. */
  emitOnDeploy?: boolean | undefined;
  /** The number of objects that take its HTTP events. Absent: one. */
  shards?: number | undefined;
  /** Refuses values that its caller may not use, before anything is stored. */
  admit?: ((configuration: Configuration) => void) | undefined;
};

/**
 * Deploy a component as a new source. Its row is written first, hidden; its object makes it visible after the hooks,
 * even if the caller has disconnected. After a failure row and object are deleted. The sweep deletes leftovers of a
 * crash.
 */
export async function createSource(ctx: Context, input: SourceInput): Promise<Source> {
  const owner = await ownerFor(ctx, input.workspace);
  const chosen = await chosenComponent(ctx, owner, input);
  if (!chosen) throw noneChosen();
  const { component } = chosen;
  const { emitOnDeploy, shards = 1 } = input;
  const configuration = await configured(ctx, { owner, component }, { ...input, shards });

  const id = input.id ?? newId("source");
  const at = ctx.now();
  const name = input.name ?? slugOf(component.name);
  const pending = pendingChange(chosen, { name, userId: ctx.actor.id });
  const row: NewSource = {
    id,
    ownerId: owner,
    userId: ctx.actor.id,
    componentId: component.id,
    name,
    active: true,
    state: "deploying",
    updatingSince: at,
    pending,
    shownProps: shownValues(configuration.props, configuration.values),
    endpoints: await endpointsFor(ctx, { id }, configuration.props),
    apphooks: apphooksOf(configuration.props, configuration.values),
    shards,
    createdAt: at,
    updatedAt: at,
  };
  const source = await reserveSource(RoutesChange.ofNewEmitter(ctx.db), row);
  try {
    await provideScript(ctx, owner, { ...component, labels: labelsOf(component) });
    const plan = await planFor(ctx, owner);
    const { change } = pending;
    const what = { name: source.name, component, configuration, shards, emitOnDeploy };
    const planned = { ...what, plan, change };
    const deployment = await deploymentOf(ctx, row, planned);
    const result = await ctx.sources(id).deploy(deployment, ctx.requestId);
    if (!result.ok) throw hookFailed(result);
  } catch (error) {
    await undo(ctx, source);
    throw error;
  }
  return source;
}

/** The configuration of a new source, checked. */
async function configured(
  ctx: Context,
  { owner, component }: { owner: OwnerId; component: Component },
  { configuredProps = {}, admit, shards }: SourceInput & { shards: number },
): Promise<Configuration> {
  const target = { owner, component, previous: [] };
  const configuration = await configure(ctx, target, { stored: {}, given: configuredProps });
  admit?.(configuration);
  checkShards(component, configuration, shards);
  return configuration;
}

/** If this fails too, the row stays hidden and the sweep deletes it. */
async function undo(
  ctx: Pick<AppContext, "sources"> & RoutesContext,
  source: Source,
): Promise<void> {
  try {
    await ctx.sources(source.id).remove(ctx.requestId);
    await forgetSource(ctx, source);
  } catch (error) {
    log("source_left_over", { request_id: ctx.requestId, source_id: source.id, error });
  }
}

function noneChosen() {
  const message =
    "one of component_id, component_code, component_files, component_url and key is required";
  return invalidInput([{ path: "component_id", message }]);
}
