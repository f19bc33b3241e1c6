import { createRoute, z } from "@hono/zod-openapi";

import type { ComponentCode } from "#services/component-files.ts";
import {
  type ComponentWithCode,
  getComponent,
  getRegistryComponent,
  lockfileOf,
  saveComponent,
} from "#services/components.ts";

import { codeFailures, createRouter, one, Ownership, params, workspaceIn } from "../openapi.ts";

export const ConfigurableProp = z
  .object({ name: z.string(), type: z.string() })
  .catchall(z.any())
  .openapi("ConfigurableProp");

/** What is said of a component that was published. */
export const Publication = {
  license: z.string().nullable().openapi({
    description: "As its publisher or its files say; null where neither does",
  }),
  deprecated: z.string().nullable().openapi({
    description: "What its publisher advises to those who use it; null: it is not deprecated",
  }),
};

export const ComponentBody = z
  .object({
    id: z.string(),
    code: z.string(),
    code_hash: z.string(),
    name: z.string(),
    version: z.string(),
    component_type: z.enum(["source", "action"]),
    configurable_props: z.array(ConfigurableProp),
    license: Publication.license.unwrap().optional(),
    deprecated: Publication.deprecated.unwrap().optional(),
    sample_emit: z.any().optional().openapi({ description: "As the component declares it" }),
    annotations: z.any().optional().openapi({ description: "As the component declares them" }),
    created_at: z.int(),
    updated_at: z.int(),
    lockfile: z
      .record(z.string(), z.any())
      .optional()
      .openapi({ description: "Packages that are inside; only where `include` asks for it" }),
  })
  .openapi("Component");

const Files = z.record(z.string(), z.string()).nullish();

/** How a component is sent. */
export const CodeFields = {
  component_code: z.string().min(1).nullish(),
  component_url: z.string().nullish(),
  component_files: Files.openapi({
    description:
      "Files by relative path, where the component is spread over several: at most 1,000, in 5 MB",
    example: { "new.ts": 'export { default } from "./common.ts";', "common.ts": "…" },
  }),
  files: Files.openapi({ description: "Another name of component_files" }),
  entry: z.string().nullish().openapi({
    description: "Which of component_files holds the component",
    example: "new.ts",
  }),
  language: z.enum(["js", "ts"]).nullish().openapi({
    description: "What component_code is written in; of files, their endings say it",
    example: "ts",
  }),
};

const Code = z.object(CodeFields);

export function codeIn(given: z.infer<typeof Code>): ComponentCode {
  return {
    code: given.component_code ?? undefined,
    url: given.component_url ?? undefined,
    files: given.component_files ?? given.files ?? undefined,
    entry: given.entry ?? undefined,
    language: given.language ?? undefined,
  };
}

/** The licence that a publisher states. */
export const License = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{C}+$/u, "must be one line of text")
  .nullish()
  .openapi({ description: "Such as an SPDX expression; without it, what component_files say" });

const save = createRoute({
  operationId: "saveComponent",
  method: "post",
  path: "/components",
  request: {
    body: params(z.object({ ...CodeFields, ...Ownership })),
  },
  responses: one(ComponentBody, codeFailures),
});

const read = createRoute({
  operationId: "getComponent",
  method: "get",
  path: "/components/{key}",
  request: { params: z.object({ key: z.string() }) },
  responses: one(ComponentBody),
});

const readPublished = createRoute({
  operationId: "getRegistryComponent",
  method: "get",
  path: "/components/registry/{key}",
  request: { params: z.object({ key: z.string() }) },
  responses: one(ComponentBody),
});

export const components = createRouter()
  .openapi(save, async (c) => {
    const { org_id, workspace_id, ...given } = c.req.valid("json");
    const workspace = workspaceIn({ org_id, workspace_id });
    const component = await saveComponent(c.var.context, { ...codeIn(given), workspace });
    return c.json({ data: presentComponent(component) }, 200);
  })
  .openapi(read, async (c) => {
    const component = await getComponent(c.var.context, c.req.valid("param").key);
    if (!c.var.fields.include?.has("lockfile"))
      return c.json({ data: presentComponent(component) }, 200);
    const lockfile = await lockfileOf(c.var.context, component);
    return c.json({ data: { ...presentComponent(component), lockfile } }, 200);
  })
  .openapi(readPublished, async (c) => {
    const component = await getRegistryComponent(c.var.context, c.req.valid("param").key);
    return c.json({ data: presentComponent(component) }, 200);
  });

/** A component as callers see it. */
export function presentComponent(component: ComponentWithCode): z.input<typeof ComponentBody> {
  const { sampleEmit, annotations } = component.definition;
  return {
    id: component.id,
    code: component.code,
    code_hash: component.codeHash,
    name: component.name,
    version: component.version,
    component_type: component.definition.type,
    configurable_props: component.definition.props,
    ...(component.license && { license: component.license }),
    ...(component.deprecated && { deprecated: component.deprecated }),
    ...(sampleEmit !== undefined && { sample_emit: sampleEmit }),
    ...(annotations !== undefined && { annotations }),
    created_at: component.createdAt,
    updated_at: component.updatedAt,
  };
}
