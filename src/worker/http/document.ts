import type { OpenAPIHono } from "@hono/zod-openapi";

import { PLATFORM_VERSION } from "#domain/version.ts";

import type { AppEnv } from "./env.ts";

type Router = OpenAPIHono<AppEnv>;
export type Document = ReturnType<Router["getOpenAPI31Document"]>;
type PathItem = NonNullable<Document["paths"]>[string];
export type Operation = NonNullable<PathItem["get"]>;
type Parameter = NonNullable<Operation["parameters"]>[number];
type NamedParameter = Extract<Parameter, { name: string }>;
type Responses = NonNullable<Operation["responses"]>;
type Response = Responses[string];

/** The properties of a document. */
type About = {
  title: string;
  base: string;
  parameters: Record<string, Parameter>;
  /** Whether the operations of a path accept these parameters; absent: all do. */
  takesParameters?: (path: string) => boolean;
  /** Descriptions of operations whose contracts have none, by operation id. */
  descriptions?: Readonly<Record<string, string>>;
  /** Whether requests are counted for each key. */
  isLimited?: boolean;
};

/** The headers of responses. */
const HEADERS = {
  "X-Request-Id": {
    description: "Names this request in our logs",
    schema: { type: "string", example: "0f8fad5b-d9cb-469f-a165-70867728950e" },
  },
  "X-RateLimit-Limit": {
    description: "Maximum requests of the key in 10 seconds",
    schema: { type: "integer", example: 100 },
  },
  "X-RateLimit-Remaining": {
    description: "Remaining requests",
    schema: { type: "integer", example: 42 },
  },
  "X-RateLimit-Reset": {
    description: "Time of the next reset, epoch seconds",
    schema: { type: "integer", example: 1_767_225_600 },
  },
  "Retry-After": {
    description: "Seconds to wait before retrying",
    schema: { type: "integer", example: 10 },
  },
} as const;

const RATE_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/** Parameters of every operation (docs/contract.md: Common parameters). */
export const FIELD_PARAMETERS = {
  include: query("include", {
    description: "Comma-separated fields: only these are returned of each resource",
    example: "id,name",
  }),
  exclude: query("exclude", {
    description: "Comma-separated fields that are not returned; takes precedence over include",
    example: "code,configurable_props",
  }),
} satisfies Record<string, Parameter>;

/** The workspace of a request, under both of its names. */
export const WORKSPACE_PARAMETERS = {
  workspace_id: query("workspace_id", {
    description: "The workspace that the operation applies to",
    example: "o_5d0",
  }),
  org_id: query("org_id", { description: "The same as workspace_id", example: "o_5d0" }),
} satisfies Record<string, Parameter>;

/** The document of a router: every operation mounted on it, with the rules for all operations. */
export function documentOf(
  router: Router,
  {
    title,
    base,
    parameters,
    takesParameters = () => true,
    descriptions = {},
    isLimited = false,
  }: About,
): Document {
  const document = router.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title, version: PLATFORM_VERSION },
    servers: [{ url: base }],
    security: [{ bearer: [] }],
  });
  return {
    ...document,
    components: {
      ...document.components,
      parameters,
      headers: HEADERS,
    },
    paths: Object.fromEntries(
      Object.entries(document.paths ?? {}).map(([path, item]) => [
        path,
        mapValues(operationsOf(item), (operation, method) => ({
          ...complete(operation, {
            method,
            common: takesParameters(path) ? Object.keys(parameters) : [],
            isLimited,
          }),
          ...wordsOf(operation, descriptions),
          tags: [resourceOf(path)],
        })),
      ]),
    ),
  };
}

/** Builds a document at the first request and caches it: building takes long, and anyone may request it. */
export function madeOnce(make: () => Document): () => Document {
  let document: Document | undefined;
  return () => (document ??= make());
}

/** Declare in a router's document that every operation requires a bearer token. */
export function withBearer(router: Router): Router {
  router.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
  });
  return router;
}

/** The operations of a path by method. */
export function operationsOf(item: PathItem): Record<string, Operation> {
  const { get, post, put, patch, delete: remove } = item;
  return {
    ...(get && { get }),
    ...(post && { post }),
    ...(put && { put }),
    ...(patch && { patch }),
    ...(remove && { delete: remove }),
  };
}

/** A contract's own description takes precedence over that of the list. */
function wordsOf(
  { operationId = "", description }: Operation,
  descriptions: Readonly<Record<string, string>>,
): Pick<Operation, "summary" | "description"> {
  const text = description ?? descriptions[operationId];
  return { summary: sentenceOf(operationId), ...(text !== undefined && { description: text }) };
}

/** `listSourceEvents` as words. */
function sentenceOf(operationId = ""): string {
  const words = operationId.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The subject of a path: its first noun that names neither its owner nor its project. */
function resourceOf(path: string): string {
  const [, first = "", whose, owned] = path.replace(/^\/\{project\}/, "").split("/");
  const isOwner = first === "users" || first === "workspaces";
  return isOwner && whose !== undefined && owned !== undefined ? owned : first;
}

function complete(
  operation: Operation,
  { method, common, isLimited }: { method: string; common: readonly string[]; isLimited: boolean },
): Operation {
  const { requestBody, parameters = [], responses = {} } = operation;
  const declared = namesInQuery(parameters);
  const inQuery = queryTwins(requestBody).filter(({ name }) => !declared.has(name));
  const readsBody = ["post", "put", "patch"].includes(method);
  const isFile = requestBody !== undefined && !isJson(requestBody);
  const names = new Set([...declared, ...inQuery.map(({ name }) => name)]);
  const refs = common
    .filter((name) => !names.has(name) && (hasData(responses) || !(name in FIELD_PARAMETERS)))
    .map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return {
    ...operation,
    parameters: [...parameters, ...inQuery, ...refs],
    // The body is optional: all parameters may be in the query string.
    ...(requestBody && { requestBody: { ...requestBody, required: isFile } }),
    responses: mapValues(
      { ...responses, ...sharedFailures(responses, { readsBody, isFile }) },
      (response, status) => withHeaders(response, headersOf(status, isLimited)),
    ),
  };
}

/** Whether a response has resources to select fields from. */
function hasData(responses: Responses): boolean {
  return Object.entries(responses).some(
    ([status, response]) =>
      status.startsWith("2") && "application/json" in (response.content ?? {}),
  );
}

function isJson(body: NonNullable<Operation["requestBody"]>): boolean {
  return "content" in body && "application/json" in body.content;
}

/**
 * Body parameters that may be in the query string instead; the body takes precedence
 * (docs/contract.md: Parameter places).
 */
function queryTwins(body: Operation["requestBody"]): NamedParameter[] {
  const schema = body && "content" in body ? body.content["application/json"]?.schema : undefined;
  if (!schema || !("properties" in schema)) return [];
  return Object.entries(schema.properties ?? {})
    .filter(([, property]) => !("type" in property) || !isStructured(property.type))
    .map(([name, property]) => ({ name, in: "query", required: false, schema: property }));
}

/** The query parameters that a contract declares itself: a list has each once (OpenAPI 3.1, 4.8.10). */
function namesInQuery(parameters: readonly Parameter[]): Set<string> {
  return new Set(
    parameters.flatMap((one) => ("name" in one && one.in === "query" ? [one.name] : [])),
  );
}

function isStructured(type: unknown): boolean {
  const types = Array.isArray(type) ? type : [type];
  return types.includes("object") || types.includes("array");
}

function sharedFailures(
  responses: Responses,
  { readsBody, isFile }: { readsBody: boolean; isFile: boolean },
): Responses {
  const described = {
    ...(readsBody && { 413: "The body is too large" }),
    ...(readsBody && !isFile && { 415: "The body is not JSON" }),
    414: "The URL is too long",
    429: "Too many requests",
    431: "The headers are too large",
    500: "Something went wrong on our side",
  };
  const missing = Object.entries(described).filter(([status]) => !(status in responses));
  return Object.fromEntries(missing.map(([status, description]) => [status, failure(description)]));
}

function failure(description: string): Response {
  const schema = { $ref: "#/components/schemas/Error" };
  return { description, content: { "application/json": { schema } } };
}

/** The headers of a response. A refusal before the key is known has no rate-limit headers. */
function headersOf(status: string, isLimited: boolean): string[] {
  const isCounted = isLimited && !["401", "414", "431"].includes(status);
  return [
    "X-Request-Id",
    ...(isCounted ? RATE_HEADERS : []),
    ...(isLimited && status === "429" ? ["Retry-After"] : []),
  ];
}

function withHeaders(response: Response, names: readonly string[]): Response {
  if ("$ref" in response) return response;
  const refs = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { ...response, headers: { ...response.headers, ...Object.fromEntries(refs) } };
}

function query(
  name: string,
  { description, example }: { description: string; example: string },
): Parameter {
  return { name, in: "query", required: false, description, schema: { type: "string", example } };
}

function mapValues<T, R>(
  values: Record<string, T>,
  change: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, change(value, name)]),
  );
}
