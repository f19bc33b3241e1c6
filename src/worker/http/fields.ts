import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";

import { type Document, operationsOf } from "./document.ts";
import type { AppEnv, FieldSelection } from "./env.ts";
import { routeOf } from "./request-log.ts";

/** Read the `include` and `exclude` parameters, comma-separated names (docs/contract.md: Common parameters). */
export function fieldsOf(params: Record<string, unknown>): FieldSelection {
  const [include, exclude] = [namesIn(params["include"]), namesIn(params["exclude"])];
  return { ...(include && { include }), ...(exclude && { exclude }) };
}

/** Read `include` and `exclude` from the query only, for requests without parameters in the body. */
export const readFields = createMiddleware<AppEnv>(async (c, next) => {
  c.set("fields", fieldsOf(c.req.query()));
  await next();
});

/** Keep only the requested fields in every resource of a response. Names that no resource has become warnings. */
export function selectFields(document: () => Document, base: string): MiddlewareHandler<AppEnv> {
  let operations: ReadonlyMap<string, ReadonlySet<string> | undefined> | undefined;
  return async (c, next) => {
    const requested = c.var.fields;
    if (!requested.include && !requested.exclude) return next();
    operations ??= resourceFields(document());
    const known = operations.get(`${c.req.method} ${routeOf(c)}`.replace(` ${base}`, " "));
    const { fields, warnings } = checkFields(requested, known);
    c.set("fields", fields);
    await next();
    // A handler that streams its response has selected them itself.
    if (c.var.fields !== fields || !c.res.ok) return;
    if (!c.res.headers.get("content-type")?.includes("json")) return;
    const body = await c.res.json<Record<string, unknown>>();
    const { status, headers } = c.res;
    c.res = Response.json(selected(body, fields, warnings), { status, headers });
  };
}

/** The fields to select, and a warning for each unknown one. `known`: those of the resources; undefined: any. */
function checkFields(
  { include, ...rest }: FieldSelection,
  known: ReadonlySet<string> | undefined,
): { fields: FieldSelection; warnings: string[] } {
  const isUnknown = (name: string) => known !== undefined && !known.has(name);
  // A misspelled `include` would leave nothing.
  const isAbsent = include === undefined || [...include].every(isUnknown);
  const warnings = Object.entries({ include, ...rest }).flatMap(([parameter, names]) =>
    [...(names ?? [])].filter(isUnknown).map((name) => `${parameter}: ${name} is not a field`),
  );
  return { fields: isAbsent ? rest : { include, ...rest }, warnings };
}

/** A body with the selected fields of its resources. */
function selected(
  body: Record<string, unknown>,
  fields: FieldSelection,
  added: readonly string[],
): Record<string, unknown> {
  if (!("data" in body)) return body;
  const { data, warnings } = body;
  const before: unknown[] = Array.isArray(warnings) ? warnings : [];
  return {
    ...body,
    data: Array.isArray(data) ? data.map((one) => select(one, fields)) : select(data, fields),
    ...(added.length > 0 && { warnings: [...before, ...added] }),
  };
}

/** The fields of each operation's resources, by method and route; undefined: any. */
function resourceFields({
  paths = {},
  components,
}: Document): Map<string, ReadonlySet<string> | undefined> {
  const schemas: Record<string, unknown> = components?.schemas ?? {};
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(operationsOf(item)).map(([method, { responses }]) => {
      const content = Object(responses?.["200"]).content?.["application/json"];
      const fields = fieldsIn(Object(content?.schema?.properties).data, schemas);
      return [`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, fields] as const;
    }),
  );
  return new Map(operations);
}

/** The fields of a resource's schema, or of a list's; undefined: it may have any. */
function fieldsIn(
  schema: unknown,
  schemas: Record<string, unknown>,
): ReadonlySet<string> | undefined {
  const { $ref, items, properties, additionalProperties, ...variants } = Object(schema);
  if (typeof $ref === "string") return fieldsIn(schemas[$ref.replace(/.*\//, "")], schemas);
  if (items !== undefined) return fieldsIn(items, schemas);
  if (properties !== undefined && !additionalProperties) return new Set(Object.keys(properties));
  const { anyOf, oneOf, allOf } = variants;
  const parts: unknown[] = [anyOf, oneOf, allOf].find(Array.isArray) ?? [];
  return parts.length === 0 ? undefined : unionOf(parts.map((one) => fieldsIn(one, schemas)));
}

function unionOf(
  parts: readonly (ReadonlySet<string> | undefined)[],
): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const part of parts) {
    if (!part) return undefined;
    for (const name of part) names.add(name);
  }
  return names;
}

/** A resource with the requested fields. */
export function select(resource: unknown, { include, exclude }: FieldSelection): unknown {
  if (typeof resource !== "object" || resource === null) return resource;
  const shown = Object.entries(resource).filter(
    ([name]) => (include?.has(name) ?? true) && exclude?.has(name) !== true,
  );
  return Object.fromEntries(shown);
}

function namesIn(value: unknown): Set<string> | undefined {
  const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : [];
  const given = names.filter((name) => name !== "");
  return given.length === 0 ? undefined : new Set(given);
}
