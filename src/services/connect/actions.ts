import { invalidInput, RequestError } from "#domain/errors.ts";

import { type ActionResult, type ActionRun, runAction } from "../actions/run.ts";
import { type Component, componentFor } from "../components.ts";
import { builtComponent } from "../registry-imports/built.ts";
import { asExternalUser, type ProjectContext } from "./context.ts";
import { openDynamicProps } from "./dynamic-props.ts";

/** The action to run, its external user and its props. */
export type ActionOfUser = Pick<ActionRun, "configuredProps" | "stash" | "cause"> & {
  keyOrId: string;
  /** The required version; undefined: any. */
  version: string | undefined;
  externalId: string | undefined;
  dynamicPropsId: string | undefined;
};

/**
 * Run an action that the project may use for one of its external users. Its usage is charged to the project's owner.
 */
export async function runForExternalUser(
  ctx: ProjectContext,
  { keyOrId, version, externalId, dynamicPropsId, ...run }: ActionOfUser,
): Promise<ActionResult> {
  const own = await asExternalUser(ctx, externalId);
  const found = ofVersion(await componentFor(own, keyOrId), version);
  const component = await builtComponent(own, found);
  if (component.definition.type !== "action")
    throw invalidInput([{ path: "id", message: "a source cannot be run: only actions can" }]);
  // Refuses an id of another user or component; the values themselves decide on the props.
  await openDynamicProps(own, component, dynamicPropsId);
  return runAction(own, { owner: own.actor.id, component, ...run });
}

function ofVersion(component: Component, wanted: string | undefined): Component {
  if (wanted === undefined || wanted === component.version) return component;
  const message = `No component with id ${component.key ?? component.id} and version ${wanted}`;
  throw new RequestError("not_found", message);
}
