import { invalidInput } from "../../domain/errors.ts";
import type { Id, OwnerId } from "../../domain/ids.ts";
import { codeMissing, type Component, componentFor, prepareComponent } from "../components.ts";
import type { Context } from "../context.ts";

/** How a caller names the component of a source. */
export type ComponentChoice = {
  componentId?: Id<"component"> | undefined;
  code?: string | undefined;
  url?: string | undefined;
  key?: string | undefined;
};

/** A component to deploy, and whether it still has to be saved. */
export type Chosen = { component: Component; isNew: boolean };

/** The component that a caller names: by id, else by code, else by key (spec: POST /sources). Undefined: none is named. */
export async function chosenComponent(
  ctx: Context,
  owner: OwnerId,
  { componentId, code, url, key }: ComponentChoice,
): Promise<Chosen | undefined> {
  const nameOrKey = componentId ?? (code === undefined ? key : undefined);
  if (nameOrKey !== undefined)
    return deployable({ component: await componentFor(ctx, nameOrKey), isNew: false });
  if (code !== undefined)
    return deployable({
      component: await prepareComponent(ctx, owner, { code, url }),
      isNew: true,
    });
  if (url !== undefined) throw codeMissing(url);
  return undefined;
}

function deployable(chosen: Chosen): Chosen {
  if (chosen.component.definition.type === "source") return chosen;
  const path = chosen.isNew ? "component_code" : "component_id";
  throw invalidInput([{ path, message: "an action cannot be deployed as a source" }]);
}
