import { staticChoices } from "./choices.ts";
import {
  APPHOOK,
  DATA_STORE,
  DB_SERVICE,
  HTTP_INTERFACE,
  type PropDefinition,
  TIMER_INTERFACE,
} from "./definition.ts";
import { isJsonObject, type Json } from "./json.ts";
import type { Values } from "./props.ts";

export type JsonSchema = { [key: string]: Json };

/** An account that may be chosen for an app prop. */
export type AccountChoice = { id: string; app: string; name: string };

/** Props without a value from callers. */
const NOT_GIVEN = new Set([DB_SERVICE, HTTP_INTERFACE, APPHOOK, "alert", "dir"]);

const MAX_DESCRIPTION = 500;

/**
 * The JSON Schema of a component's arguments: a property for each prop that a caller sets. An app prop is the id of one
 * of the caller's accounts, by default the only one.
 */
export function schemaOfProps(
  props: readonly PropDefinition[],
  accounts: readonly AccountChoice[],
): JsonSchema {
  const given = props.filter((prop) => isGiven(prop));
  const required = given.filter((prop) => isRequired(prop, accounts)).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(given.map((prop) => [prop.name, schemaOf(prop, accounts)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * Convert arguments to configured values: an account's id alone becomes the value of its app prop, and an app prop
 * without one gets the caller's only account.
 */
export function valuesOfArguments(
  props: readonly PropDefinition[],
  given: Values,
  accounts: readonly AccountChoice[],
): Values {
  const chosen = props.flatMap(({ name, type, app }) => {
    if (type !== "app") return [];
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const fitting = accountsFor(app, accounts);
    const id = value ?? (fitting.length === 1 ? fitting[0]?.id : undefined);
    return typeof id === "string" ? [[name, { authProvisionId: id }] as const] : [];
  });
  return { ...given, ...Object.fromEntries(chosen) };
}

/** The slugs of the apps of some props. */
export function appsOfProps(props: readonly PropDefinition[]): string[] {
  const slugs = props.flatMap(({ type, app }) =>
    type === "app" && typeof app === "string" ? [app] : [],
  );
  return [...new Set(slugs)];
}

function isGiven({ type, hidden, disabled }: PropDefinition): boolean {
  return !NOT_GIVEN.has(type) && hidden !== true && disabled !== true;
}

function isRequired(prop: PropDefinition, accounts: readonly AccountChoice[]): boolean {
  if (prop.type === "app") return accountsFor(prop["app"], accounts).length > 1;
  return prop["optional"] !== true && prop["default"] === undefined && prop["static"] === undefined;
}

function schemaOf(prop: PropDefinition, accounts: readonly AccountChoice[]): JsonSchema {
  if (prop.type === "app") return schemaOfApp(prop, accounts);
  const { type } = prop;
  const isList = type.endsWith("[]");
  const one = { ...schemaOfType(isList ? type.slice(0, -2) : type, prop), ...choicesOf(prop) };
  const description = descriptionOf(prop);
  return {
    ...(isList ? { type: "array", items: one } : one),
    ...(description !== "" && { description }),
    ...(prop["default"] !== undefined && { default: prop["default"] }),
  };
}

function schemaOfApp({ app }: PropDefinition, accounts: readonly AccountChoice[]): JsonSchema {
  const fitting = accountsFor(app, accounts);
  const slug = typeof app === "string" ? app : "the app";
  if (fitting.length === 0)
    return { type: "string", description: `An account of ${slug}: none is connected` };
  const named = fitting.map(({ id, name }) => `${id}: ${name}`).join("; ");
  const [only] = fitting;
  return {
    type: "string",
    enum: fitting.map(({ id }) => id),
    description: `An account of ${slug}. ${named}`.slice(0, MAX_DESCRIPTION),
    ...(fitting.length === 1 && only && { default: only.id }),
  };
}

function accountsFor(app: Json | undefined, accounts: readonly AccountChoice[]): AccountChoice[] {
  return accounts.filter((account) => account.app === app);
}

/** The schemas of the types of props, without bounds, choices and descriptions. Other types accept any value. */
const SCHEMAS: Record<string, JsonSchema> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  integer: { type: "integer" },
  number: { type: "number" },
  object: { type: "object" },
  http_request: { type: "object" },
  [DATA_STORE]: { type: "string", pattern: "^ds_" },
  sql: {
    type: "object",
    properties: { query: { type: "string" }, params: { type: "array" } },
    required: ["query"],
  },
  [TIMER_INTERFACE]: {
    type: "object",
    properties: {
      intervalSeconds: { type: "integer", minimum: 15 },
      cron: { type: "string" },
      timezone: { type: "string" },
    },
  },
};

/** Types of texts and numbers. Choices that a component returns may be of either. */
const SCALARS = new Set(["string", "integer", "number"]);

const BOUNDED = new Set(["integer", "number"]);

function schemaOfType(type: string, { min, max, remoteOptions }: PropDefinition): JsonSchema {
  if (remoteOptions === true && SCALARS.has(type)) return { type: ["string", "number"] };
  const schema = Object.hasOwn(SCHEMAS, type) ? SCHEMAS[type] : undefined;
  const isBounded = BOUNDED.has(type);
  return {
    ...schema,
    ...(isBounded && typeof min === "number" && { minimum: min }),
    ...(isBounded && typeof max === "number" && { maximum: max }),
  };
}

function choicesOf(prop: PropDefinition): JsonSchema {
  const choices = staticChoices(prop)?.options ?? [];
  return choices.length === 0 ? {} : { enum: choices.map(({ value }) => value) };
}

function descriptionOf(prop: PropDefinition): string {
  const { label, description, secret, remoteOptions } = prop;
  const labels = (staticChoices(prop)?.options ?? [])
    .filter((choice) => choice.label !== choice.value)
    .map((choice) => `${JSON.stringify(choice.value)}: ${choice.label}`);
  const parts = [
    description ?? label,
    labels.length > 0 && labels.slice(0, 20).join(", "),
    remoteOptions === true && "Its choices: describe with this prop's name.",
    secret === true && "A secret.",
  ];
  const text = parts.filter((part): part is string => typeof part === "string").join(" ");
  return text.slice(0, MAX_DESCRIPTION);
}

/** The annotations of an action that MCP clients know; its other annotations are left out. */
export function annotationsOf(annotations: Json | undefined): Record<string, boolean> {
  if (!isJsonObject(annotations)) return {};
  return Object.fromEntries(
    HINTS.flatMap((hint) => {
      const value = annotations[hint];
      return typeof value === "boolean" ? [[hint, value] as const] : [];
    }),
  );
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
