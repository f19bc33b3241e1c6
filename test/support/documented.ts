/** A schema of an OpenAPI document, with the parts that tests read. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  example?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
};

type Parameter = { $ref?: string; name: string; in: string; description?: string; schema: Schema };
type Content = { content?: Record<string, { schema?: Schema }> };
type Header = { description?: string; schema: Schema };

type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};

/** An OpenAPI document of the platform. */
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    headers: Record<string, Header>;
  };
};

/** A parameter or a property: its place and its description. */
export type Field = {
  where: string;
  name: string;
  isGiven: boolean;
  schema: Schema;
  description?: string | undefined;
};

/** Every operation of a document. */
export function operationsIn({ paths }: OpenApi): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** Every parameter, header and property of a document. `isGiven`: a request has it. */
export function fieldsIn(document: OpenApi): Field[] {
  const { schemas, parameters = {}, headers } = document.components;
  const given = schemasGiven(document);
  return [
    ...Object.values(parameters).map((parameter) => ofParameter("components", parameter)),
    ...Object.entries(headers).map(([name, header]) => ({
      where: "header",
      name,
      isGiven: false,
      ...header,
    })),
    ...Object.entries(schemas).flatMap(([name, schema]) =>
      propertiesIn(schema, name, given.has(name)),
    ),
    ...operationsIn(document).flatMap(ofOperation),
  ];
}

function ofOperation({ operationId, parameters = [], requestBody, responses }: Operation): Field[] {
  return [
    ...parameters
      .filter(({ $ref }) => $ref === undefined)
      .flatMap((parameter) => [
        ofParameter(operationId, parameter),
        ...propertiesIn(parameter.schema, `${operationId}.${parameter.name}`, true),
      ]),
    ...ofContent(requestBody, `${operationId} body`, true),
    ...Object.entries(responses).flatMap(([status, response]) =>
      ofContent(response, `${operationId} ${status}`, false),
    ),
  ];
}

function ofParameter(where: string, { name, schema, description }: Parameter): Field {
  return { where, name, isGiven: true, schema, description };
}

function ofContent(body: Content | undefined, where: string, isGiven: boolean): Field[] {
  return Object.values(body?.content ?? {}).flatMap(({ schema }) =>
    schema ? propertiesIn(schema, where, isGiven) : [],
  );
}

/** All properties of a schema and of its parts, without those of named schemas. */
function propertiesIn(schema: Schema, where: string, isGiven: boolean): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    { where, name, isGiven, schema: property, description: property.description },
    ...propertiesIn(property, `${where}.${name}`, isGiven),
  ]);
  return [...own, ...partsOf(schema).flatMap((part) => propertiesIn(part, where, isGiven))];
}

/** The parts of a schema, without its properties. */
function partsOf({ items, additionalProperties, allOf, anyOf, oneOf }: Schema): Schema[] {
  const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [
    ...(items ? [items] : []),
    ...values,
    ...(allOf ?? []),
    ...(anyOf ?? []),
    ...(oneOf ?? []),
  ];
}

/** The named schemas that requests have. */
function schemasGiven(document: OpenApi): Set<string> {
  const bodies = operationsIn(document).map(({ requestBody }) => JSON.stringify(requestBody ?? {}));
  const names = [...bodies.join("").matchAll(/"#\/components\/schemas\/(\w+)"/g)];
  return new Set(names.map(([, name = ""]) => name));
}

/** Whether a schema is made of fields, whose examples make its own. */
export function hasFields(schema: Schema): boolean {
  return (
    schema.$ref !== undefined || schema.properties !== undefined || partsOf(schema).some(hasFields)
  );
}

/** Whether a schema allows any JSON, at least as the values of an object. */
export function isOpen(schema: Schema): boolean {
  const { $ref, type, enum: values, additionalProperties, properties } = schema;
  if (additionalProperties === true || isEmpty(additionalProperties)) return true;
  const isTyped = $ref !== undefined || type !== undefined || values !== undefined;
  return !isTyped && properties === undefined && partsOf(schema).length === 0;
}

function isEmpty(schema: Schema["additionalProperties"]): boolean {
  return typeof schema === "object" && Object.keys(schema).length === 0;
}

/** Whether a description only repeats the name of its field. */
export function repeatsName({ name, description = "" }: Field): boolean {
  const words = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, " ")
      .replace(/^the /, "")
      .trim();
  return words(description) === words(name);
}
