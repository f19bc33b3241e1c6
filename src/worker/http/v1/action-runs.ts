import { createRoute, z } from "@hono/zod-openapi";

import { isId } from "#domain/ids.ts";
import { runChosenAction } from "#services/actions/choose.ts";

import { ActionResultBody, presentResult, StashChoice } from "../action-result.ts";
import { causeOf } from "../cause.ts";
import {
  codeFailures,
  createRouter,
  idOf,
  JsonObject,
  loop,
  one,
  Ownership,
  params,
  tooMany,
  workspaceIn,
} from "../openapi.ts";
import { CodeFields, codeIn } from "./components.ts";

const Body = z.object({
  component_id: idOf("component", "sc_5d0").nullish(),
  id: z.string().min(1).nullish(),
  ...CodeFields,
  key: z.string().min(1).nullish(),
  configured_props: JsonObject.nullish(),
  stash_id: StashChoice,
  ...Ownership,
});

const run = createRoute({
  operationId: "runAction",
  method: "post",
  path: "/actions/run",
  description: "Runs an action by itself. If it fails, its error is in os.",
  request: {
    body: params(Body),
  },
  responses: one(ActionResultBody, { ...codeFailures, ...tooMany, ...loop }),
});

type Named = Pick<z.infer<typeof Body>, "component_id" | "id" | "key">;

/** `id` is Connect's name for both. */
function chosenBy({ component_id, id, key }: Named) {
  const ofId = id ?? "";
  const byId = isId("component", ofId)
    ? { componentId: ofId, key: undefined }
    : { componentId: undefined, key: id ?? undefined };
  return {
    componentId: component_id ?? byId.componentId,
    key: key ?? byId.key,
  };
}

export const actionRuns = createRouter().openapi(run, async (c) => {
  const input = c.req.valid("json");
  const result = await runChosenAction(c.var.context, {
    ...chosenBy(input),
    ...codeIn(input),
    configuredProps: input.configured_props ?? {},
    stash: input.stash_id,
    workspace: workspaceIn(input),
    cause: causeOf(c.req),
  });
  return c.json({ data: presentResult(result) }, 200);
});
