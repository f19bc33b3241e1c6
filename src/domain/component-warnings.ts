import { z } from "zod";

import { HOOK_NAMES, INTERFACE_TYPES, type PropDefinition, SERVICE_TYPES } from "./definition.ts";
import { checkValue } from "./prop-values.ts";
import { isOneTypoApart } from "./spelling.ts";

/** Names of the fields of a component that the platform reads. */
const COMPONENT_KEYS = [
  "additionalProps",
  "annotations",
  "dedupe",
  "description",
  "hooks",
  "key",
  "methods",
  "name",
  "props",
  "run",
  "sampleEmit",
  "type",
  "version",
];

const PROP_FIELDS = [
  "alertType",
  "app",
  "appProp",
  "content",
  "customResponse",
  "default",
  "description",
  "disabled",
  "eventNames",
  "hidden",
  "label",
  "max",
  "methods",
  "min",
  "optional",
  "options",
  "propDefinition",
  "propDefinitions",
  "reloadProps",
  "secret",
  "static",
  "type",
  "useQuery",
  "withLabel",
];

const LISTED_TYPES = ["any", "boolean", "integer", "number", "object", "string"];

const PROP_TYPES = [
  ...LISTED_TYPES,
  ...LISTED_TYPES.map((type) => `${type}[]`),
  "alert",
  "app",
  "data_store",
  "dir",
  "http_request",
  "sql",
  ...INTERFACE_TYPES,
  ...SERVICE_TYPES,
];

/** Types of values that are chosen from an app's data: any value is accepted. */
const TYPE_OF_APP = /^\$\.(?:airtable|discord)\./;

const MAX_WARNINGS = 50;
const MAX_NAMES = 1000;
const MAX_NAME_LENGTH = 100;

const NAME = z.string().transform((name) => name.slice(0, MAX_NAME_LENGTH));
const NAMES = z.array(NAME).max(MAX_NAMES);

/** The names that a component uses, as its isolate returns them beside its definition. */
const Named = z.object({
  type: z.string().optional(),
  dedupe: z.unknown().optional(),
  names: z.object({
    shapes: z.object({ props: z.string() }).optional(),
    component: NAMES,
    hooks: NAMES,
    props: z.array(z.object({ name: NAME, type: NAME, fields: NAMES })).max(MAX_NAMES),
  }),
});

/**
 * Probable mistakes of a component, as `path: problem`, from the JSON text that its isolate returned. Components for
 * other platforms may have fields that this one does not know, so a name counts as misspelled if it is one typo away
 * from a known one. Hooks that are never called and types with unchecked values are always named.
 */
export function componentWarnings(text: string): string[] {
  const parsed = Named.safeParse(JSON.parse(text));
  if (!parsed.success) return [];
  const { component, hooks, props, shapes } = parsed.data.names;
  const warnings = [
    ...(shapes?.props === "list" ? ["props: must be an object of props by name, not a list"] : []),
    ...(parsed.data.type === "action" && typeof parsed.data.dedupe === "string"
      ? ["dedupe: has no effect, as an action's events are not deduplicated"]
      : []),
    ...misspelled("", component, COMPONENT_KEYS),
    ...hooks.flatMap((name) => warningOfHook(name)),
    ...props.flatMap(({ name, type, fields }) => [
      ...warningOfType(name, type),
      ...misspelled(`props.${name}.`, fields, PROP_FIELDS),
    ]),
  ];
  return warnings.slice(0, MAX_WARNINGS);
}

/** Types whose defaults are often written as text. */
const CHECKED_DEFAULT = /^(?:boolean|integer|number)(?:\[\])?$/;

/** Defaults that would be refused as values: a run without a value gets them as they are. */
export function defaultWarnings(props: readonly PropDefinition[]): string[] {
  const warnings = props.flatMap((prop) => {
    if (!CHECKED_DEFAULT.test(prop.type) || prop["default"] == null) return [];
    const checked = checkValue(prop["default"], prop);
    return "problem" in checked ? [`props.${prop.name}.default: ${checked.problem}`] : [];
  });
  return warnings.slice(0, MAX_WARNINGS);
}

function misspelled(place: string, names: readonly string[], known: readonly string[]): string[] {
  const taken = new Set(names);
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((one) => !taken.has(one) && isOneTypoApart(name, one));
      return meant === undefined
        ? []
        : [`${place}${name}: is not a known field: did you mean "${meant}"?`];
    });
}

function warningOfHook(name: string): string[] {
  if (HOOK_NAMES.some((known) => known === name)) return [];
  return [`hooks.${name}: is never called${suggestion(name, HOOK_NAMES)}`];
}

function warningOfType(name: string, type: string): string[] {
  if (PROP_TYPES.includes(type) || TYPE_OF_APP.test(type)) return [];
  return [
    `props.${name}.type: "${type}" is not a known type, so its values are not checked${suggestion(type, PROP_TYPES)}`,
  ];
}

/** The question whether a known word was meant, if one is a typo away. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = known.find((one) => isOneTypoApart(word, one));
  return meant === undefined ? "" : `: did you mean "${meant}"?`;
}
