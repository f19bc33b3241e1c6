/** What the Python SDK's models require of a value. A field with `?` may be absent or null. */
export type Shape =
  | "text"
  | "integer"
  | "number"
  | "flag"
  | "time"
  | "any"
  | readonly [Shape]
  | { readonly [field: string]: Shape };

const CHECKS: Record<string, (value: unknown) => boolean> = {
  text: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  time: (value) =>
    typeof value === "number" || (typeof value === "string" && !Number.isNaN(Date.parse(value))),
  any: (value) => value !== undefined,
};

/** The fields that a model would reject, with the reason. */
export function mismatches(value: unknown, shape: Shape, path = "answer"): string[] {
  if (typeof shape === "string")
    return CHECKS[shape]?.(value) ? [] : [`${path} is no ${shape}: ${JSON.stringify(value)}`];
  if (!isList(shape)) return mismatchesOfFields(value, shape, path);
  if (!Array.isArray(value)) return [`${path} is no list: ${JSON.stringify(value)}`];
  return value.flatMap((one, index) => mismatches(one, shape[0], `${path}[${index}]`));
}

function mismatchesOfFields(
  value: unknown,
  shape: { readonly [field: string]: Shape },
  path: string,
): string[] {
  if (typeof value !== "object" || value === null) return [`${path} is no object`];
  return Object.entries(shape).flatMap(([name, inner]) => {
    const field = name.replace("?", "");
    const held: unknown = Reflect.get(value, field);
    const isAbsent = held === undefined || held === null;
    return isAbsent && field !== name ? [] : mismatches(held, inner, `${path}.${field}`);
  });
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

export function pageShape(item: Shape): Shape {
  const info = {
    "count?": "integer",
    "total_count?": "integer",
    "start_cursor?": "text",
    "end_cursor?": "text",
  } as const;
  return { data: [item], page_info: info };
}

const TIMES = { "created_at?": "time", "updated_at?": "time" } as const;
const STAMPS = { created_at: "integer", updated_at: "integer" } as const;

export const APP = {
  "id?": "text",
  name_slug: "text",
  name: "text",
  "description?": "text",
  img_src: "text",
  "custom_fields_json?": "text",
  categories: ["text"],
  featured_weight: "number",
  scope_profiles: [{ name: "text", scopes: ["text"] }],
} as const;

export const TOKEN = { token: "text", connect_link_url: "text", expires_at: "time" } as const;

export const ACCOUNT = {
  id: "text",
  "name?": "text",
  "external_id?": "text",
  "healthy?": "flag",
  "dead?": "flag",
  "app?": APP,
  "authorized_scopes?": ["text"],
  "expires_at?": "time",
  "error?": "text",
  "last_refreshed_at?": "time",
  "next_refresh_at?": "time",
  ...TIMES,
} as const;

export const CATEGORY = { "id?": "text", "name?": "text", "description?": "text" } as const;

export const OAUTH_APP = {
  ...APP,
  client_id: "text",
  "scopes?": ["text"],
  "additional_scopes?": ["text"],
  "redirect_uri?": "text",
  owner_id: "text",
  ...TIMES,
} as const;

export const OVERRIDE = {
  id: "text",
  name: "text",
  app: APP,
  "oauth_app_id?": "text",
  cfmap: "any",
  owner_id: "text",
  ...TIMES,
} as const;

export const PROJECT = {
  id: "text",
  name: "text",
  "app_name?": "text",
  "support_email?": "text",
  "connect_require_key_auth_test?": "flag",
} as const;

export const USER = { id: "text", external_id: "text", ...TIMES } as const;

const PROP = { name: "text", type: "text", "label?": "text", "optional?": "flag" } as const;
const OBSERVATION = { k: "text", ts: "number", "msg?": "text", "err?": "any" } as const;

export const COMPONENT = {
  key: "text",
  name: "text",
  version: "text",
  configurable_props: [PROP],
  "description?": "text",
  "component_type?": "text",
} as const;

export const OPTIONS = {
  "options?": [{ label: "text", "value?": "any" }],
  "string_options?": ["text"],
  "observations?": [OBSERVATION],
  "context?": "any",
  "errors?": ["text"],
} as const;

export const RELOADED = {
  "observations?": [OBSERVATION],
  "errors?": ["text"],
  dynamic_props: { id: "text", configurable_props: [PROP] },
} as const;

export const RUN = {
  "exports?": "any",
  "os?": [OBSERVATION],
  "ret?": "any",
  "stash_id?": "text",
} as const;

export const TRIGGER = {
  type: "text",
  id: "text",
  owner_id: "text",
  component_id: "text",
  "component_key?": "text",
  configurable_props: [PROP],
  configured_props: "any",
  active: "flag",
  name: "text",
  name_slug: "text",
  "emit_on_deploy?": "flag",
  "webhook_signing_key?": "text",
  ...STAMPS,
} as const;

export const EVENT = { e: "any", k: "text", ts: "integer", id: "text", "sum?": "text" } as const;

export const TRIGGER_WEBHOOKS = {
  webhook_urls: ["text"],
  "webhooks?": [{ id: "text", url: "text", signing_key_set: "flag", "signing_key?": "text" }],
} as const;

const WEBHOOK = { id: "text", url: "text", signing_key_set: "flag", ...STAMPS } as const;
export const READ_WEBHOOK = { "data?": WEBHOOK } as const;
export const SET_WEBHOOK = { data: { ...WEBHOOK, "signing_key?": "text" } } as const;
export const KEYED_WEBHOOK = { data: { ...WEBHOOK, signing_key: "text" } } as const;

export const USAGE = {
  data: [{ credits_used: "integer", usage_start_ts: "integer", usage_end_ts: "integer" }],
} as const;
