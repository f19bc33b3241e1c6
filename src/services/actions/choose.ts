import { invalidInput } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";

import { ownerFor } from "../access.ts";
import type { Context } from "../context.ts";
import { chosenComponent, type ComponentChoice } from "../sources/choice.ts";
import { type ActionResult, type ActionRun, runAction } from "./run.ts";

/** The action to run, and its props. */
export type ChosenAction = ComponentChoice &
  Pick<ActionRun, "configuredProps" | "stash" | "cause"> & {
    workspace: Id<"workspace"> | undefined;
  };

/**
 * Run an action of the actor's choice, for the actor or a workspace. Code in the request is not saved as a component.
 */
export async function runChosenAction(
  ctx: Context,
  { configuredProps, stash, cause, workspace, ...choice }: ChosenAction,
): Promise<ActionResult> {
  const owner = await ownerFor(ctx, workspace);
  const chosen = await chosenComponent(ctx, owner, { ...choice, type: "action" });
  if (!chosen) throw noneChosen();
  const { component } = chosen;
  return runAction(ctx, { owner, component, configuredProps, stash, cause });
}

function noneChosen() {
  const message = "one of component_id, key, component_code and component_url is required";
  return invalidInput([{ path: "component_id", message }]);
}
