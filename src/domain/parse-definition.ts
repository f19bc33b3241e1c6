import { z } from "zod";

import { suggestion } from "./component-warnings.ts";
import {
  type ComponentDefinition,
  HOOK_NAMES,
  HTTP_INTERFACE,
  INTERFACE_TYPES,
} from "./definition.ts";
import type { Issue } from "./errors.ts";
import type { Json } from "./json.ts";
import { MAX_CONFIGURATION_BYTES } from "./row-size.ts";

/** A definition must fit a row of D1 together with the other fields of the component. */
const MAX_DEFINITION_BYTES = MAX_CONFIGURATION_BYTES;

/** Names are in rows beside the definition, too. */
const MAX_NAME_LENGTH = 1000;

/** The prefix of props' types that trigger sources. */
const INTERFACE_PREFIX = "$.interface.";

const required = (what: string) => z.string(what).trim().min(1, what);

const Prop = z
  .object({ name: z.string(), type: required("must have a type") })
  .catchall(z.custom<Json>());

/** An alert in a form has a text, which may be empty, and may have a tone (docs/contract.md: Prop types). */
const Alert = z.object({
  alertType: z
    .enum(
      ["info", "neutral", "warning", "error"],
      'must be "info", "neutral", "warning" or "error"',
    )
    .exactOptional(),
  content: z.string("must have content"),
});

const DeclaredProp = Prop.superRefine((prop, context) => {
  const issues = prop.type === "alert" ? Alert.safeParse(prop).error?.issues : undefined;
  for (const { path, message } of issues ?? []) context.addIssue({ code: "custom", path, message });
  const problem = problemOfInterface(prop.type);
  if (problem !== undefined) context.addIssue({ code: "custom", path: ["type"], message: problem });
});

/** Interfaces start a component: one with an interface that the platform lacks would never run. */
function problemOfInterface(type: string): string | undefined {
  if (!type.startsWith(INTERFACE_PREFIX) || INTERFACE_TYPES.includes(type)) return undefined;
  return `must be ${INTERFACE_TYPES.join(" or ")}, not ${type}${suggestion(type, INTERFACE_TYPES)}`;
}

/** The shape of a definition; `readDefinition` also drops fields that are null and checks the rules below. */
export const Definition = z.object({
  name: required("a component must have a name").max(MAX_NAME_LENGTH),
  version: z.preprocess(
    (version) => (typeof version === "number" ? String(version) : version),
    required("a component must have a version").max(MAX_NAME_LENGTH),
  ),
  type: z.enum(["source", "action"], 'must be "source" or "action"'),
  key: z.string("must be a string").max(MAX_NAME_LENGTH).exactOptional(),
  description: z.string("must be a string").exactOptional(),
  dedupe: z
    .enum(["unique", "greatest", "last"], 'must be "unique", "greatest" or "last"')
    .exactOptional(),
  runs: z.boolean(),
  hooks: z.array(z.enum(HOOK_NAMES)),
  dynamic: z.boolean(),
  sampleEmit: z.custom<Json>().exactOptional(),
  annotations: z.custom<Json>().exactOptional(),
  props: z.array(DeclaredProp),
});

/**
 * Read the definition, JSON text, that a component's isolate returns. User code shares that isolate and can tamper with
 * it, so every field is checked. Returns the broken rules if there are any.
 */
export function readDefinition(text: string): ComponentDefinition | Issue[] {
  if (new TextEncoder().encode(text).length > MAX_DEFINITION_BYTES)
    return [
      {
        path: "props",
        message: `the definition must be at most ${MAX_DEFINITION_BYTES} bytes`,
      },
    ];
  const given = jsonOf(text);
  const parsed = Definition.safeParse(given);
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => ({
      path: namedPath(path, given),
      message,
    }));
  return missingRun(parsed.data) ?? misplaced(parsed.data) ?? parsed.data;
}

/** The props of a definition that does not fit as a whole. */
const NamedProps = z.object({ props: z.array(z.unknown()) });
const Named = z.object({ name: z.string().min(1) });

/** The path of an issue, with the name of a prop instead of its index in the definition, which authors do not know. */
function namedPath([first, index, ...rest]: readonly PropertyKey[], given: unknown): string {
  const prop = first === "props" && typeof index === "number" && propAt(given, index);
  const path = [first, prop || index, ...rest].filter((part) => part !== undefined);
  return path.join(".");
}

function propAt(given: unknown, index: number): string | undefined {
  const prop = NamedProps.safeParse(given).data?.props[index];
  return Named.safeParse(prop).data?.name;
}

/** The types of a component's members, as its isolate reports them; `hooks`: of each, if they are an object. */
const Shapes = z.object({
  names: z.object({
    shapes: z.object({
      props: z.string(),
      hooks: z.union([z.string(), z.record(z.string(), z.string())]),
    }),
  }),
});

/**
 * Props and hooks that would be ignored, because they are of another type, in the definition, JSON text, that a
 * component's isolate returns. A list of props is only a warning.
 */
export function malformedMembers(text: string): Issue[] {
  const shapes = Shapes.safeParse(jsonOf(text)).data?.names.shapes;
  if (!shapes) return [];
  const { props, hooks } = shapes;
  const issues: Issue[] = [];
  if (!["absent", "list", "object"].includes(props))
    issues.push({ path: "props", message: `must be an object of props by name, not a ${props}` });
  if (typeof hooks === "string") {
    if (hooks !== "absent")
      issues.push({ path: "hooks", message: "must be an object of functions" });
    return issues;
  }
  const others = Object.entries(hooks).filter(([, type]) => !["absent", "function"].includes(type));
  return [
    ...issues,
    ...others.map(([name]) => ({ path: `hooks.${name}`, message: "must be a function" })),
  ];
}

/** Actions, and sources with HTTP endpoints, require a `run` method. */
export function missingRun({ runs, type, props }: ComponentDefinition): Issue[] | undefined {
  const isNeeded = type === "action" || props.some((prop) => prop.type === HTTP_INTERFACE);
  if (runs || !isNeeded) return undefined;
  const subject = type === "action" ? "an action" : "a source with an HTTP interface";
  return [{ path: "run", message: `${subject} must have a run method` }];
}

/** No trigger starts an action and nothing deploys it: its interfaces and hooks would never be used. */
function misplaced({ type, hooks, props }: ComponentDefinition): Issue[] | undefined {
  if (type !== "action") return undefined;
  const interfaces = props.filter((prop) => prop.type.startsWith(INTERFACE_PREFIX));
  const issues = [
    ...interfaces.map(({ name }) => ({
      path: `props.${name}`,
      message: "an action cannot have an interface",
    })),
    ...hooks.map((hook) => ({ path: `hooks.${hook}`, message: "an action cannot have hooks" })),
  ];
  return issues.length > 0 ? issues : undefined;
}

/** Fields that a component sets to null count as absent. */
function jsonOf(text: string): unknown {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== "object" || fields === null) return undefined;
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  } catch {
    return undefined;
  }
}
