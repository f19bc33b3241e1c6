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

/** The fields of a published component. */
export const Publication = {
  license: z.string().nullable(),
  deprecated: z.string().nullable(),
};

const Lockfile = z.object({
  lockfileVersion: z.literal(1),
  requests: z.record(z.string(), z.string()),
  packages: z.record(
    z.string(),
    z.object({ name: z.string(), version: z.string(), integrity: z.string() }),
  ),
});

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
    sample_emit: z.any().optional(),
    annotations: z.any().optional(),
    created_at: z.int(),
    updated_at: z.int(),
    lockfile: Lockfile.optional(),
  })
  .openapi("Component");

const Files = z.record(z.string(), z.string()).nullish();

/** The code of a component in a request. */
export const CodeFields = {
  component_code: z.string().min(1).nullish(),
  component_url: z.string().nullish(),
  component_files: Files,
  files: Files,
  entry: z.string().nullish(),
  language: z.enum(["js", "ts"]).nullish(),
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
  // Documents have patterns without flags.
  .openapi({ pattern: String.raw`^\P{C}+$` })
  .nullish();

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

/** A component in a response. */
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
