import { createRoute, z } from "@hono/zod-openapi";

import type { PropDefinition } from "#domain/definition.ts";
import { hitOf, positionOfHit } from "#domain/page.ts";
import {
  type Component,
  type ComponentType,
  configureProp,
  findComponent,
  listComponents,
  reloadComponentProps,
} from "#services/connect/components.ts";

import { Observation } from "../action-result.ts";
import {
  createRouter,
  cursor,
  digits,
  JsonObject,
  Limit,
  many,
  one,
  oneCursor,
  params,
} from "../openapi.ts";
import { openPage, pageInfo } from "../pages.ts";
import { ConfigurableProp } from "../v1/components.ts";
import { itself } from "./responses.ts";

/** The paths of components, and the type of each; the names of its operations begin with the word. */
const COLLECTIONS = {
  components: { word: "Component", type: undefined },
  actions: { word: "Action", type: "action" },
  triggers: { word: "Trigger", type: "source" },
} as const satisfies Record<string, { word: string; type: ComponentType | undefined }>;

type Collection = keyof typeof COLLECTIONS;

const ComponentBody = z
  .object({
    key: z.string(),
    name: z.string(),
    version: z.string(),
    description: z.string().optional(),
    component_type: z.enum(["trigger", "action"]),
    configurable_props: z.array(ConfigurableProp),
    stash: z.enum(["optional", "required"]).optional(),
    annotations: z.any().optional(),
  })
  .openapi("ConnectComponent");

const ListQuery = z
  .object({
    limit: Limit,
    after: cursor(hitOf),
    before: cursor(hitOf),
    q: z.string().max(1000).optional(),
    app: z.string().min(1).max(200).optional(),
    registry: z.enum(["public", "private", "all"]).default("all"),
    component_type: z.enum(["trigger", "action"]).optional(),
  })
  .refine(oneCursor.check, oneCursor.issue);

const Project = z.object({ project: z.string() });
const Version = z.string().min(1).max(100);

/** The key or id of a component to configure, deploy or run. */
export const ComponentId = z.string().min(1).max(500);

/** An id of dynamic props, which contains them. */
export const DynamicPropsId = z.string().max(4_000_000);

/** A component's key and its current configuration. */
const ComponentConfigurationBody = z.object({
  id: ComponentId,
  version: Version.nullish(),
  external_user_id: z.string().optional(),
  configured_props: JsonObject.nullish(),
  dynamic_props_id: DynamicPropsId.nullish(),
});

const EvaluationBody = ComponentConfigurationBody.extend({ blocking: z.boolean().nullish() });

const Evaluated = { observations: z.array(Observation), errors: z.array(z.string()) };

const OptionsBody = z.object({
  options: z.array(z.object({ label: z.string(), value: z.any() })),
  string_options: z.array(z.string()).nullable(),
  context: z.any().nullable(),
  ...Evaluated,
});

const DynamicPropsBody = z.object({
  dynamic_props: z
    .object({ id: z.string(), configurable_props: z.array(ConfigurableProp) })
    .optional(),
  dynamicProps: z
    .object({ id: z.string(), configurableProps: z.array(ConfigurableProp) })
    .optional(),
  ...Evaluated,
});

function routesOf(collection: Collection) {
  const { word } = COLLECTIONS[collection];
  const path = `/{project}/${collection}` as const;
  return {
    list: createRoute({
      operationId: `listConnect${word}s`,
      method: "get",
      path,
      request: { params: Project, query: ListQuery },
      responses: many(ComponentBody),
    }),
    read: createRoute({
      operationId: `getConnect${word}`,
      method: "get",
      path: `${path}/{key}` as const,
      request: {
        params: Project.extend({ key: z.string() }),
        query: z.object({ version: Version.optional() }),
      },
      responses: one(ComponentBody),
    }),
    configure: createRoute({
      operationId: `configure${word}Prop`,
      method: "post",
      path: `${path}/configure` as const,
      request: {
        params: Project,
        body: params(
          EvaluationBody.extend({
            prop_name: z.string().min(1),
            page: digits(z.int().min(0)).nullish(),
            prev_context: z.any().optional(),
            query: z.string().nullish(),
          }),
        ),
      },
      responses: itself(OptionsBody),
    }),
    reload: createRoute({
      operationId: `reload${word}Props`,
      method: "post",
      path: `${path}/props` as const,
      request: { params: Project, body: params(EvaluationBody) },
      responses: itself(DynamicPropsBody),
    }),
  };
}

/** The router of one collection: lists and reads its components, and evaluates the props of their forms. */
function routerOf(collection: Collection) {
  const { list, read, configure, reload } = routesOf(collection);
  const { type } = COLLECTIONS[collection];
  return createRouter()
    .openapi(list, async (c) => {
      const {
        limit,
        after,
        before,
        component_type: wanted,
        ...query
      } = await openPage(c, c.req.valid("query"));
      const narrowed = { ...query, type: type ?? (wanted && typeOf(wanted)) };
      const page = await listComponents(c.var.project, narrowed, { limit, after, before });
      const page_info = await pageInfo(c, page, positionOfHit);
      return c.json({ page_info, data: page.items.map(present) }, 200);
    })
    .openapi(read, async (c) => {
      const { key: keyOrId } = c.req.valid("param");
      const { version } = c.req.valid("query");
      const component = await findComponent(c.var.project, { keyOrId, version, type });
      return c.json({ data: present(component) }, 200);
    })
    .openapi(configure, async (c) => {
      const input = c.req.valid("json");
      const { value, errors } = await configureProp(c.var.project, {
        ...configurationIn(input, type),
        propName: input.prop_name,
        page: input.page ?? undefined,
        prevContext: input.prev_context ?? undefined,
        query: input.query ?? undefined,
      });
      const options = value?.options ?? [];
      const context = value?.context ?? null;
      const string_options = stringsIn(options);
      return c.json({ options, string_options, context, observations: [], errors }, 200);
    })
    .openapi(reload, async (c) => {
      const input = configurationIn(c.req.valid("json"), type);
      const { value, errors } = await reloadComponentProps(c.var.project, input);
      const language = c.req.header("x-fern-language");
      return c.json({ ...(value && bothNames(value, language)), observations: [], errors }, 200);
    });
}

export const components = routerOf("components");
export const actions = routerOf("actions");
export const triggers = routerOf("triggers");

/** The input of services: a component's key and its current configuration. */
function configurationIn(
  input: z.output<typeof ComponentConfigurationBody>,
  type: ComponentType | undefined,
) {
  return {
    keyOrId: input.id,
    version: input.version ?? undefined,
    type,
    externalId: input.external_user_id,
    configuredProps: input.configured_props ?? {},
    dynamicPropsId: input.dynamic_props_id ?? undefined,
  };
}

/**
 * Dynamic props under the names of the API, and under those that JavaScript clients read. Models of Python clients, which
 * read either, replace the parsed props by the raw ones if they get both.
 */
function bothNames(
  { id, props }: { id: string; props: PropDefinition[] },
  language: string | undefined,
): Pick<z.input<typeof DynamicPropsBody>, "dynamic_props" | "dynamicProps"> {
  return {
    dynamic_props: { id, configurable_props: props },
    ...(language !== "Python" && { dynamicProps: { id, configurableProps: props } }),
  };
}

function typeOf(wanted: "trigger" | "action"): ComponentType {
  return wanted === "trigger" ? "source" : "action";
}

/** Choices that are only texts; null if any is not a text. */
function stringsIn(options: readonly { label: string; value: unknown }[]): string[] | null {
  const texts = options.map(({ label }) => label);
  return options.every(({ label, value }) => value === label) && texts.length > 0 ? texts : null;
}

function present({ id, key, name, version, definition }: Component): z.input<typeof ComponentBody> {
  const { description, type, props, annotations } = definition;
  const folder = props.find((prop) => prop.type === "dir");
  return {
    key: key ?? id,
    name,
    version,
    ...(description !== undefined && { description }),
    component_type: type === "source" ? "trigger" : "action",
    configurable_props: props,
    ...(folder && { stash: folder["optional"] === true ? "optional" : "required" }),
    ...(annotations !== undefined && { annotations }),
  };
}
