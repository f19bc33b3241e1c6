import { invalidInput } from "#domain/errors.ts";
import type { Id, OwnerId } from "#domain/ids.ts";

import { type ComponentCode, componentFiles } from "../component-files.ts";
import { type Component, componentFor, prepareComponent } from "../components.ts";
import type { Context } from "../context.ts";
import { builtComponent } from "../registry-imports/built.ts";

/** The parameters that name the component of a source, or an action. */
export type ComponentChoice = ComponentCode & {
  componentId?: Id<"component"> | undefined;
  key?: string | undefined;
  /** The required type, unless it is a source. */
  type?: "action" | "source" | undefined;
};

/** A component to deploy or to run, and whether it must still be saved. */
export type Chosen = { component: Component; isNew: boolean };

/**
 * The component that a caller names: by id, else by code, else by key, else by URL
 * (docs/contract.md: Choosing a component). Undefined: none is named.
 */
export async function chosenComponent(
  ctx: Context,
  owner: OwnerId,
  { componentId, key, type = "source", ...given }: ComponentChoice,
): Promise<Chosen | undefined> {
  const isCodeGiven = given.code !== undefined || given.files !== undefined;
  const nameOrKey = componentId ?? (isCodeGiven ? undefined : key);
  if (nameOrKey !== undefined) {
    const component = await builtComponent(ctx, await componentFor(ctx, nameOrKey));
    return ofType(type, { component, isNew: false });
  }
  const files = await componentFiles(ctx, owner, given);
  if (files === undefined) return undefined;
  const author = { owner, user: ctx.actor.id };
  // Without a script, the source may run in the isolate that read its definition, and locally does.
  const open = ctx.scripts === undefined ? ctx.sandbox : ctx.evaluator;
  const component = await prepareComponent(ctx, author, files, given.url, open);
  return ofType(type, { component, isNew: true });
}

function ofType(type: "source" | "action", chosen: Chosen): Chosen {
  if (chosen.component.definition.type === type) return chosen;
  const path = chosen.isNew ? "component_code" : "component_id";
  const message =
    type === "source"
      ? "an action cannot be deployed as a source"
      : "a source cannot be run as an action";
  throw invalidInput([{ path, message }]);
}
