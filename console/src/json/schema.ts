import { pathTo } from "./parse.ts";

/** A JSON Schema, as far as the platform's own schemas use the language. */
export type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  oneOf?: Schema[];
  anyOf?: Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  description?: string;
};

/** A violated rule, and its path. */
type SchemaProblem = { path: string; message: string };

type Check = (value: unknown, schema: Schema, path: string) => SchemaProblem[];

/** The violated rules of a schema. The page's policy forbids validators that compile schemas to code. */
export function schemaProblems(value: unknown, schema: Schema, path = ""): SchemaProblem[] {
  const typed = problemOfType(value, schema);
  if (typed !== undefined) return [{ path, message: typed }];
  return CHECKS.flatMap((check) => check(value, schema, path));
}

const CHECKS: Check[] = [
  checkValue,
  checkText,
  checkNumber,
  checkFields,
  checkElements,
  checkAlternatives,
  checkCondition,
];

function problemOfType(value: unknown, { type }: Schema): string | undefined {
  if (type === undefined) return undefined;
  const types = Array.isArray(type) ? type : [type];
  return types.some((one) => isOfType(value, one))
    ? undefined
    : `must be ${types.map(named).join(" or ")}`;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function named(type: string): string {
  if (type === "null") return type;
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

function checkValue(value: unknown, schema: Schema, path: string): SchemaProblem[] {
  if (schema.enum && !schema.enum.some((one) => isSame(one, value)))
    return [
      {
        path,
        message: `must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`,
      },
    ];
  if (schema.const !== undefined && !isSame(schema.const, value))
    return [{ path, message: `must be ${JSON.stringify(schema.const)}` }];
  if (schema.not && schemaProblems(value, schema.not).length === 0)
    return [{ path, message: `must not be ${JSON.stringify(value)}` }];
  return [];
}

function checkText(value: unknown, schema: Schema, path: string): SchemaProblem[] {
  if (typeof value !== "string") return [];
  if (schema.minLength !== undefined && value.length < schema.minLength)
    return [{ path, message: "must not be empty" }];
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value))
    return [{ path, message: `must match ${schema.pattern}` }];
  return [];
}

function checkNumber(value: unknown, { minimum, maximum }: Schema, path: string): SchemaProblem[] {
  if (typeof value !== "number") return [];
  if (minimum !== undefined && value < minimum)
    return [{ path, message: `must be at least ${minimum}` }];
  if (maximum !== undefined && value > maximum)
    return [{ path, message: `must be at most ${maximum}` }];
  return [];
}

function checkFields(value: unknown, schema: Schema, path: string): SchemaProblem[] {
  if (!isObject(value)) return [];
  const missing = (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path, message: `needs "${name}"` }));
  const wrong = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    Object.hasOwn(value, name) ? schemaProblems(value[name], field, pathTo(path, name)) : [],
  );
  return [...missing, ...wrong];
}

function checkElements(value: unknown, schema: Schema, path: string): SchemaProblem[] {
  if (!Array.isArray(value)) return [];
  const { minItems, maxItems, items } = schema;
  if (minItems !== undefined && value.length < minItems)
    return [{ path, message: `must have at least ${minItems}` }];
  if (maxItems !== undefined && value.length > maxItems)
    return [{ path, message: `must have at most ${maxItems}` }];
  if (!items) return [];
  return value.flatMap((element, index) => schemaProblems(element, items, pathTo(path, index)));
}

function checkAlternatives(value: unknown, schema: Schema, path: string): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const failing = (ways: Schema[]) => ways.map((way) => schemaProblems(value, way, path));
  if (schema.anyOf) {
    const failed = failing(schema.anyOf);
    if (failed.every((way) => way.length > 0)) problems.push(...nearest(failed));
  }
  if (schema.oneOf) {
    const matching = failing(schema.oneOf).filter((way) => way.length === 0).length;
    if (matching !== 1) problems.push({ path, message: exactlyOne(schema.oneOf) });
  }
  return problems;
}

/** Alternatives that differ by a field are named after it. */
function exactlyOne(ways: Schema[]): string {
  const fields = ways.flatMap(({ required }) => required ?? []).map((name) => `"${name}"`);
  return fields.length > 0 ? `needs exactly one of ${fields.join(", ")}` : "must be in one form";
}

/** The alternative that a value matches best. */
function nearest(failed: SchemaProblem[][]): SchemaProblem[] {
  return failed.reduce((best, way) => (depthOf(way) > depthOf(best) ? way : best));
}

function depthOf(problems: SchemaProblem[]): number {
  return Math.max(...problems.map(({ path }) => path.length), 0);
}

function checkCondition(value: unknown, schema: Schema, path: string): SchemaProblem[] {
  if (!schema.if || !schema.then || schemaProblems(value, schema.if).length > 0) return [];
  return schemaProblems(value, schema.then, path);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
