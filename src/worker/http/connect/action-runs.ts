import { createRoute, z } from "@hono/zod-openapi";

import { runForExternalUser } from "#services/connect/actions.ts";

import { ActionResultBody, presentResult, StashChoice } from "../action-result.ts";
import { causeOf } from "../cause.ts";
import { createRouter, JsonObject, loop, params, thrown, tooMany } from "../openapi.ts";
import { ComponentId, DynamicPropsId } from "./components.ts";
import { itself } from "./responses.ts";

const run = createRoute({
  operationId: "runAction",
  method: "post",
  path: "/{project}/actions/run",
  request: {
    params: z.object({ project: z.string() }),
    body: params(
      z.object({
        id: ComponentId,
        version: z.string().max(100).nullish(),
        external_user_id: z.string().nullish(),
        configured_props: JsonObject.nullish(),
        dynamic_props_id: DynamicPropsId.nullish(),
        stash_id: StashChoice,
      }),
    ),
  },
  responses: itself(ActionResultBody, { ...thrown, ...tooMany, ...loop }),
});

export const actionRuns = createRouter().openapi(run, async (c) => {
  const input = c.req.valid("json");
  const result = await runForExternalUser(c.var.project, {
    keyOrId: input.id,
    version: input.version ?? undefined,
    externalId: input.external_user_id ?? undefined,
    configuredProps: input.configured_props ?? {},
    dynamicPropsId: input.dynamic_props_id ?? undefined,
    stash: input.stash_id,
    cause: causeOf(c.req),
  });
  return c.json(presentResult(result), 200);
});
