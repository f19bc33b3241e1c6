import { OpenAPIHono, z } from "@hono/zod-openapi";

import { hasHost } from "#domain/address.ts";
import { invalidInput, type Issue, RequestError } from "#domain/errors.ts";
import { type Id, isId, type ResourceKind } from "#domain/ids.ts";
import { isTooDeep, MAX_JSON_LEVELS } from "#domain/json-depth.ts";
import { isJsonObject, type Json } from "#domain/json.ts";
import { rowOf } from "#domain/page.ts";

import type { AppEnv } from "./env.ts";
import { ErrorBody } from "./errors.ts";
import "./issue-messages.ts";

/** A router whose rejected input becomes a `RequestError`, so that one handler shapes every failure. */
export function createRouter(options: { getPath?: (request: Request) => string } = {}) {
  return new OpenAPIHono<AppEnv>({
    ...options,
    defaultHook: (result, c) => {
      if (result.success) return;
      // An invalid id in a path is an unknown one.
      if (result.target === "param")
        throw new RequestError("not_found", `There is no ${c.req.path}`);
      // The validator returns the original body, which its type does not state.
      const data = "data" in result ? result.data : undefined;
      throw invalidInput(result.error.issues.flatMap((issue) => issuesOf(issue, data)));
    },
  });
}

/** The problem of a field of `input`; each unknown field is listed by itself. */
export function issuesOf(issue: z.core.$ZodIssue, input: unknown): Issue[] {
  const { path } = issue;
  // A number that is parsed from text is NaN if it was absent.
  const isMissing = issue.code === "invalid_type" && valueAt(input, path) === undefined;
  const message = isMissing ? "is required" : issue.message;
  if (issue.code !== "unrecognized_keys") return [{ path: path.join("."), message }];
  return issue.keys.map((key) => ({
    path: [...path, key].join("."),
    message: "is not a known field",
  }));
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value instanceof Object ? Reflect.get(value, key) : undefined),
    input,
  );
}

function json<S extends z.ZodType>(description: string, schema: S) {
  return { description, content: { "application/json": { schema } } };
}

/** The request of an operation with parameters as JSON; `readParams` adds those of the query string. */
export function params<S extends z.ZodType>(schema: S) {
  return { ...json("Parameters; each may also be in the query string", schema), required: true };
}

/** The responses of an operation that returns one resource, and its other responses. */
export function one<S extends z.ZodType>(resource: S, more: object = {}) {
  const found = json("The resource", z.object({ data: resource }));
  return { 200: found, ...failures(), ...more } as const;
}

/** The responses of an operation that returns a page of resources. */
export function many<S extends z.ZodType>(resource: S) {
  return {
    200: json("A page of resources", z.object({ page_info: PageInfo, data: z.array(resource) })),
    ...failures(),
  } as const;
}

/** The responses of an operation that returns a list without pages. */
export function all<S extends z.ZodType>(resource: S) {
  return allWith(resource, {});
}

/** The same with further fields beside the list. */
export function allWith<S extends z.ZodType, More extends z.ZodRawShape>(resource: S, more: More) {
  return {
    200: json("The resources", z.object({ data: z.array(resource), ...more })),
    ...failures(),
  } as const;
}

export const none = { 204: { description: "Done" }, ...failures() } as const;
export const accepted = { 202: { description: "Accepted" }, ...failures() } as const;

export function failures() {
  return {
    400: json("Invalid input", ErrorBody),
    401: json("No valid key", ErrorBody),
    404: json("The resource does not exist, or the caller has no access", ErrorBody),
  };
}

/** Further responses of an operation that bundles, evaluates or deploys a component. */
export const codeFailures = {
  422: json("The component does not bundle, evaluate or start", ErrorBody),
  502: json("A server of its code or packages fails", ErrorBody),
  504: json("The component did not return its props in time", ErrorBody),
} as const;

/** Further responses of an operation that runs code of a component. */
export const thrown = {
  422: json("The error that the component threw", ErrorBody),
  504: json("The component did not finish in time", ErrorBody),
} as const;

/** Further responses of an operation that opens a stream. */
export const crowded = { 429: json("The key has too many streams open", ErrorBody) } as const;

/** Further responses of an operation that triggers a component. */
export const tooMany = {
  413: json("The event is too large", ErrorBody),
  429: json("Too many events wait already, or a quota is used up", ErrorBody),
} as const;

/** Further responses of an operation that begins a run. */
export const loop = {
  508: json("Hop limit or run budget of the trigger reached, possible loop", ErrorBody),
} as const;

/** The further responses of an operation that can conflict with another change. */
export const conflict = {
  409: json("The state of the resource does not allow it", ErrorBody),
} as const;

/** Further responses of an operation whose body may arrive too slowly. */
export const late = { 408: json("The body did not arrive in time", ErrorBody) } as const;

/** Further responses of an operation that the operator can disable. */
export const refused = { 403: json("The operator does not allow it", ErrorBody) } as const;

const PageInfo = z
  .object({
    total_count: z.int(),
    count: z.int(),
    start_cursor: z.string().nullable(),
    end_cursor: z.string().nullable(),
  })
  .openapi("PageInfo");

/** A number, as JSON or in plain digits in a query: `1e1` and `0x5` are texts. */
export function digits<S extends z.ZodType>(schema: S) {
  return z.preprocess((value, issues) => {
    if (typeof value !== "string") return value;
    if (/^-?\d+$/.test(value)) return Number(value);
    issues.addIssue("must be a whole number in plain digits");
    return z.NEVER;
  }, schema);
}

export const Limit = digits(z.int().min(1).max(100)).default(10);

/** A cursor as a parameter: `openPage` reads the position in its list. */
export type CursorParam<T> = { cursor: string; read: (text: string) => T | undefined };

/** A cursor, whose text `read` reads. */
export function cursor<T>(read: (text: string) => T | undefined) {
  return z
    .string()
    .transform((text): CursorParam<T> => ({ cursor: text, read }))
    .optional();
}

/** The rule that a page has a start or an end, not both. */
export const oneCursor = {
  check: ({ after, before }: { after?: unknown; before?: unknown }) =>
    after === undefined || before === undefined,
  issue: { path: ["before"], message: "cannot be combined with after" },
};

/** True or false, or its text in a query string. */
export const Flag = z
  .union([z.boolean(), z.stringbool()], "must be true or false")
  .openapi({ type: "boolean" });

/** The parameters of a list of rows (docs/contract.md: Pagination). */
export const PageQuery = z
  .object({ limit: Limit, after: cursor(rowOf), before: cursor(rowOf) })
  .refine(oneCursor.check, oneCursor.issue);

/** The parameters of a list of rows that can be filtered by a text in name or id, or by activity. */
export const FilteredQuery = PageQuery.safeExtend({
  q: z.string().trim().max(200).optional(),
  active: Flag.optional(),
});

export function idOf<K extends ResourceKind>(kind: K, example: string) {
  return z
    .string()
    .transform((value, issues): Id<K> => {
      if (isId(kind, value)) return value;
      issues.addIssue(`must be the id of a ${kind}, such as ${example}`);
      return z.NEVER;
    })
    .openapi({ example });
}

/** `org_id` and `workspace_id` are the same: the workspace of a new resource. */
export const Ownership = {
  org_id: idOf("workspace", "o_5d0").nullish(),
  workspace_id: idOf("workspace", "o_5d0").nullish(),
};

export function workspaceIn(input: {
  org_id?: Id<"workspace"> | null | undefined;
  workspace_id?: Id<"workspace"> | null | undefined;
}): Id<"workspace"> | undefined {
  return input.workspace_id ?? input.org_id ?? undefined;
}

const TOO_DEEP = `may be nested at most ${MAX_JSON_LEVELS} levels deep`;

/** An object, or its JSON text in a query string. */
export const JsonObject = z
  .preprocess(
    (value, issues) => {
      if (typeof value !== "string") return value;
      if (!isTooDeep(value)) return jsonOrText(value);
      issues.addIssue(TOO_DEEP);
      return z.NEVER;
    },
    z.custom<Record<string, Json>>(isJsonObject, "must be an object"),
  )
  .openapi({ type: "object", additionalProperties: true });

/** An optional field, null by default. */
export function orNull<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? null);
}

/** The URL of a later request. */
export function urlWithHost(error: string) {
  return z.url({ protocol: /^https?$/, hostname: /./, error }).refine(hasHost, error);
}

/** The URL of a later redirect or request. */
export const WebUrl = urlWithHost("must be a URL with http or https and a host").max(2000);

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
