import type { z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";

import { type Document, operationsOf } from "./document.ts";
import type { AppEnv } from "./env.ts";
import type { ErrorBody } from "./errors.ts";
import { routeOf } from "./request-log.ts";

/** Fields of every body (docs/contract.md: Common parameters). */
const COMMON = new Set(["include", "exclude", "org_id", "workspace_id"]);

/** A body without a list of fields accepts any. */
const ANY = "any";

const UNKNOWN = "is not a known field";

type Known = ReadonlySet<string> | typeof ANY;

/**
 * Report the unknown fields of a JSON body as `warnings` beside `data`: a misspelled one would otherwise be ignored
 * silently. They are not errors, because clients of Pipedream may send further fields; but those of a refused body are
 * among its issues, because one may be the missing field. `warnings` also contains the other warnings of the operation.
 */
export function nameUnknownFields(
  document: () => Document,
  base: string,
): MiddlewareHandler<AppEnv> {
  let operations: ReadonlyMap<string, Known> | undefined;
  return async (c, next) => {
    await next();
    const { bodyFields = [], platform } = c.var;
    if (bodyFields.length === 0 || !isJson(c.res)) return;
    operations ??= fieldsByOperation(document());
    const known = operations.get(`${c.req.method} ${routeOf(c)}`.replace(` ${base}`, " "));
    c.res = await naming(c.res, unknownIn(bodyFields, known), platform.warnings);
  };
}

/** A response that names unknown fields: with warnings if it is a success, with issues if the body was refused. */
async function naming(
  response: Response,
  names: readonly string[],
  others: readonly string[],
): Promise<Response> {
  if (response.status === 400 && names.length > 0) return withIssues(response, names);
  const warnings = [...names.map((name) => `${name}: ${UNKNOWN}`), ...others];
  return response.ok && warnings.length > 0 ? withWarnings(response, warnings) : response;
}

function unknownIn(names: readonly string[], known: Known = ANY): string[] {
  if (known === ANY) return [];
  return names.filter((name) => !known.has(name) && !COMMON.has(name));
}

async function withWarnings(response: Response, added: readonly string[]): Promise<Response> {
  const { status, headers } = response;
  const { warnings = [], ...body } = await response.json<{ warnings?: string[] }>();
  return Response.json({ ...body, warnings: [...warnings, ...added] }, { status, headers });
}

/** Invalid input with the unknown fields after its own issues. */
async function withIssues(response: Response, names: readonly string[]): Promise<Response> {
  const { status, headers } = response;
  const body = await response.json<z.infer<typeof ErrorBody>>();
  const issues = body.details?.issues ?? [];
  if (body.code !== "invalid_input") return Response.json(body, { status, headers });
  const listed = new Set(issues.map((issue) => ("path" in issue ? issue.path : "")));
  const added = names
    .filter((name) => !listed.has(name))
    .map((path) => ({ path, message: UNKNOWN }));
  const error = [body.error, ...added.map(({ path }) => `${path}: ${UNKNOWN}`)].join("; ");
  const details = { ...body.details, issues: [...issues, ...added] };
  return Response.json({ ...body, error, details }, { status, headers });
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") ?? false;
}

/** The body fields of each operation, by method and route. */
function fieldsByOperation({ paths = {}, components }: Document): Map<string, Known> {
  const schemas: Record<string, unknown> = components?.schemas ?? {};
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(operationsOf(item)).map(([method, { requestBody }]): [string, Known] => {
      const content = requestBody && "content" in requestBody ? requestBody.content : {};
      const route = path.replaceAll(/\{(\w+)\}/g, ":$1");
      return [
        `${method.toUpperCase()} ${route}`,
        fieldsOf(content["application/json"]?.schema, schemas),
      ];
    }),
  );
  return new Map(operations);
}

function fieldsOf(schema: unknown, schemas: Record<string, unknown>): Known {
  const { $ref, properties, additionalProperties } = Object(schema);
  if (typeof $ref === "string") return fieldsOf(schemas[$ref.split("/").at(-1) ?? ""], schemas);
  if (properties === undefined || additionalProperties) return ANY;
  return new Set(Object.keys(properties));
}
