import { createRoute, z } from "@hono/zod-openapi";

import { loadOptions, type PropDefinition, reloadProps } from "#services/prop-evaluation.ts";

import {
  createRouter,
  digits,
  JsonObject,
  one,
  Ownership,
  params,
  thrown,
  workspaceIn,
} from "../openapi.ts";
import { ConfigurableProp } from "./components.ts";

const PartialConfiguration = z.object({
  configured_props: JsonObject.nullish(),
  dynamic_props: z
    .array(
      z.custom<PropDefinition>(isProp, "must have a name and a type").openapi({
        type: "object",
        properties: {
          name: { type: "string", description: "Key of the prop on this", example: "gift" },
          type: { type: "string", description: "Type of its value", example: "string" },
        },
        required: ["name", "type"],
        additionalProperties: true,
      }),
    )
    .nullish(),
  ...Ownership,
});

const ComponentKey = z.object({ key: z.string() });

const options = createRoute({
  operationId: "listOptions",
  method: "post",
  path: "/components/{key}/options",
  request: {
    params: ComponentKey,
    body: params(
      PartialConfiguration.extend({
        prop_name: z.string().min(1),
        page: digits(z.int().min(0)).nullish(),
        prev_context: z.any().optional(),
        query: z.string().nullish(),
      }),
    ),
  },
  responses: one(
    z.object({
      options: z.array(z.object({ label: z.string(), value: z.any() })),
      context: z.any().optional(),
    }),
    thrown,
  ),
});

const reload = createRoute({
  operationId: "reloadProps",
  method: "post",
  path: "/components/{key}/props",
  request: { params: ComponentKey, body: params(PartialConfiguration) },
  responses: one(z.object({ configurable_props: z.array(ConfigurableProp) }), thrown),
});

export const propEvaluation = createRouter()
  .openapi(options, async (c) => {
    const input = c.req.valid("json");
    const choices = await loadOptions(c.var.context, c.req.valid("param").key, {
      ...configurationIn(input),
      propName: input.prop_name,
      page: input.page ?? undefined,
      prevContext: input.prev_context ?? undefined,
      query: input.query ?? undefined,
    });
    return c.json({ data: choices }, 200);
  })
  .openapi(reload, async (c) => {
    const input = configurationIn(c.req.valid("json"));
    const props = await reloadProps(c.var.context, c.req.valid("param").key, input);
    return c.json({ data: { configurable_props: props } }, 200);
  });

function configurationIn(input: z.output<typeof PartialConfiguration>) {
  return {
    configuredProps: input.configured_props ?? {},
    dynamicProps: input.dynamic_props ?? undefined,
    workspace: workspaceIn(input),
  };
}

function isProp(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("name" in value && "type" in value))
    return false;
  return typeof value.name === "string" && typeof value.type === "string";
}
