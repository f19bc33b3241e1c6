import type { RunningPlatform } from "../scripts/platform.ts";

/** A JSON schema, with the parts that requests are generated from. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  example?: unknown;
};

export type Parameter = {
  $ref?: string;
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
};

type Content = Record<string, { schema: Schema }>;
type OperationObject = {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

/** An OpenAPI document as the platform serves it. */
export type Document = {
  servers: { url: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};

/** An operation with its parameters and responses. */
export type Operation = {
  document: Document;
  plane: "v1" | "admin";
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  responses: OperationObject["responses"];
};

/** Read every operation that a running platform documents. */
export async function readOperations({ url, adminToken }: RunningPlatform): Promise<Operation[]> {
  const origin = new URL(url).origin;
  const headers = { authorization: `Bearer ${adminToken}` };
  const operations: Operation[] = [];
  for (const plane of ["v1", "admin"] as const) {
    const response = await fetch(`${origin}/${plane}/openapi.json`, { headers });
    const document: Document = JSON.parse(await response.text());
    operations.push(...operationsOf(plane, document));
  }
  return operations;
}

function operationsOf(plane: Operation["plane"], document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]) => ({
      document,
      plane,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((parameter) => resolveParameter(document, parameter)),
      body: requestBody?.content["application/json"]?.schema,
      responses,
    })),
  );
}

function resolveParameter(document: Document, parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const found = document.components.parameters[parameter.$ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`${parameter.$ref} is missing in the document`);
  return found;
}

/** The schema behind a reference. */
export function resolved(document: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`${schema.$ref} is missing in the document`);
  return resolved(document, found);
}
