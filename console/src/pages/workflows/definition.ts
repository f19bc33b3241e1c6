import { WellspringError } from "@wellspring/client";

import type { CodeProblem } from "../../components/code-editor.tsx";
import { issuesOf } from "../../components/props-form/api-problems.ts";
import { parseJson, placeOf, type Position } from "../../json/parse.ts";
import { type Schema, schemaProblems } from "../../json/schema.ts";
import type { Workflow } from "./queries.ts";

/** The editable part of a workflow. */
export type Definition = Record<string, unknown>;

/** A typed definition: its value, undefined while the JSON is invalid, and its errors. */
type TypedDefinition = {
  definition: Definition | undefined;
  places: Map<string, Position>;
  problems: CodeProblem[];
};

/** Parse a definition, and check it against the schema of workflows. */
export function readDefinition(text: string, schema: Schema | undefined): TypedDefinition {
  const parsed = parseJson(text);
  if ("problem" in parsed)
    return { definition: undefined, places: new Map(), problems: [parsed.problem] };
  const { value, places } = parsed;
  const broken = schema ? schemaProblems(value, schema) : [];
  const problems = broken.map(({ path, message }) => problemAt(places, path, message));
  return { definition: isDefinition(value) ? value : undefined, places, problems };
}

/** The API's errors of a definition, at their positions. */
export function refusedAt(error: unknown, { definition, places }: TypedDefinition): CodeProblem[] {
  const named = issuesOf(error).map(({ path, message }) => problemAt(places, path, message));
  if (named.length > 0 || !(error instanceof WellspringError)) return named;
  // Some refusals name the step only in their message.
  const [, name] = /step "([^"]+)"/.exec(error.message) ?? [];
  const index = stepNames(definition).indexOf(name);
  return index === -1 ? [] : [{ ...placeOf(places, `steps.${index}`), message: error.message }];
}

function stepNames(definition: Definition | undefined): unknown[] {
  const steps = definition?.["steps"];
  return Array.isArray(steps)
    ? steps.map((step: unknown) => isDefinition(step) && step["name"])
    : [];
}

function problemAt(places: Map<string, Position>, path: string, message: string): CodeProblem {
  return { ...placeOf(places, path), message: path === "" ? message : `${path} ${message}` };
}

/** The text of a workflow's definition: the editable fields, without those that the platform adds. */
export function definitionText({ name, trigger, steps }: Workflow): string {
  const { endpoint_url: _, ...written } = trigger;
  return textOf({ name, trigger: written, steps });
}

export function textOf(definition: Definition): string {
  return `${JSON.stringify(definition, null, 2)}\n`;
}

/** The steps of a definition with code, by name. */
export function codeSteps(definition: Definition | undefined): { name: string; code: string }[] {
  const steps = definition?.["steps"];
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: unknown) => {
    if (!isDefinition(step)) return [];
    const { name, component_code: code } = step;
    return typeof name === "string" && typeof code === "string" ? [{ name, code }] : [];
  });
}

/** A definition with other code in a step. */
export function withCode(definition: Definition, name: string, code: string): Definition {
  const steps = definition["steps"];
  if (!Array.isArray(steps)) return definition;
  return {
    ...definition,
    steps: steps.map((step: unknown) =>
      isDefinition(step) && step["name"] === name ? { ...step, component_code: code } : step,
    ),
  };
}

function isDefinition(value: unknown): value is Definition {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
