import { type Document, type Operation, operationsOf } from "../document.ts";
import { type FieldTable, type Place, valueAt } from "./table.ts";

/** The texts of a document's fields: a description of each, and an example. */
export type FieldTables = { texts: FieldTable<string>; examples: FieldTable };

type Schema = { [keyword: string]: unknown };

/** Set the text and the example of every parameter and every property of a document from the tables. */
export function describeFields(document: Document, tables: FieldTables): Document {
  const schemas = document.components?.schemas ?? {};
  return {
    ...document,
    components: {
      ...document.components,
      schemas: mapValues(schemas, (schema, name) =>
        describeSchema({ ...schema }, { places: [name], path: [] }, tables),
      ),
    },
    paths: mapValues(document.paths ?? {}, (item, path) => ({
      ...item,
      ...mapValues(operationsOf(item), (operation) => describeOperation(operation, path, tables)),
    })),
  };
}

function describeOperation(operation: Operation, path: string, tables: FieldTables): Operation {
  const { operationId = "", tags = [], parameters = [], requestBody, responses } = operation;
  const at: Place = { places: [operationId, ...tags], path: [] };
  return {
    ...operation,
    parameters: parameters.map((parameter) => describeParameter(parameter, { at, path }, tables)),
    ...(requestBody && { requestBody: describeContent(requestBody, at, tables) }),
    responses: mapValues(responses ?? {}, (response) => describeContent(response, at, tables)),
  };
}

type Parameter = NonNullable<Operation["parameters"]>[number];

function describeParameter(
  parameter: Parameter,
  { at, path }: { at: Place; path: string },
  tables: FieldTables,
): Parameter {
  if ("$ref" in parameter) return parameter;
  const { name, schema = {}, description } = parameter;
  const owner = parameter.in === "path" ? [`/${segmentBefore(path, name)}`] : [];
  const field = { places: [...owner, ...at.places], path: [name] };
  const described = describeField({ ...schema }, field, tables);
  const text = description ?? described["description"];
  return {
    ...parameter,
    schema: described,
    ...(typeof text === "string" && { description: text }),
  };
}

/** `sources` of `/sources/{id}`: the collection of a path parameter. */
function segmentBefore(path: string, name: string): string {
  const segments = path.split("/");
  return segments[segments.indexOf(`{${name}}`) - 1] ?? "";
}

function describeContent<T extends object>(body: T, at: Place, tables: FieldTables): T {
  if (!("content" in body)) return body;
  const content: Record<string, { schema?: unknown }> = Object(body.content);
  return {
    ...body,
    content: mapValues(content, ({ schema, ...rest }) => ({
      ...rest,
      ...(isSchema(schema) && { schema: describeSchema(schema, at, tables) }),
    })),
  };
}

/** A field's own text takes precedence over the tables. A field with nested fields needs no example. */
function describeField(schema: Schema, field: Place, { texts, examples }: FieldTables): Schema {
  const description = schema["description"] ?? valueAt(texts, field);
  const example = schema["$ref"]
    ? undefined
    : (schema["example"] ?? valueAt(examples, field) ?? plainExample(schema));
  return {
    ...describeSchema(schema, field, { texts, examples }),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
  };
}

/** The example of an enumerated field: its first value. */
function plainExample({ enum: values, default: preset, type }: Schema): unknown {
  if (Array.isArray(values)) return values[0];
  if (typeof preset === "number" || typeof preset === "boolean") return preset;
  return type === "boolean" ? true : undefined;
}

/** Describe the fields of a schema and of its nested schemas. */
function describeSchema(schema: Schema, at: Place, tables: FieldTables): Schema {
  const { properties, items, additionalProperties: values } = schema;
  const each = (part: unknown) => (isSchema(part) ? describeSchema(part, at, tables) : part);
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? [[keyword, list.map(each)] as const] : [];
  });
  return {
    ...schema,
    ...Object.fromEntries(parts),
    ...(isSchema(properties) && {
      properties: mapValues(properties, (property, name) =>
        isSchema(property)
          ? describeField(property, { ...at, path: [...at.path, name] }, tables)
          : property,
      ),
    }),
    ...(isSchema(items) && { items: each(items) }),
    ...(isSchema(values) && { additionalProperties: each(values) }),
  };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null;
}

function mapValues<T, R>(
  values: Readonly<Record<string, T>>,
  change: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, change(value, name)]),
  );
}
