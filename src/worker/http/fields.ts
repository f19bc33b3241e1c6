import { createMiddleware } from "hono/factory";

import type { AppEnv, FieldSelection } from "./env.ts";

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

/** Keep only the requested fields in every resource of a response. */
export const selectFields = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { fields } = c.var;
  if (!fields.include && !fields.exclude) return;
  if (!c.res.ok || !c.res.headers.get("content-type")?.includes("json")) return;
  const body = await c.res.json<Record<string, unknown>>();
  if (!("data" in body)) return;
  const { data } = body;
  const selected = Array.isArray(data)
    ? data.map((resource) => select(resource, fields))
    : select(data, fields);
  const { status, headers } = c.res;
  c.res = Response.json({ ...body, data: selected }, { status, headers });
});

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
