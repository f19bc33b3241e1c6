import { z } from "zod";

import { Definition } from "#domain/parse-definition.ts";

import { merge, type Schema, trimmed, when } from "./merge.ts";

/** Prop types are compared without spaces around them. */
const ofType = (pattern: string): Schema => ({
  properties: { type: { pattern } },
  required: ["type"],
});

const PROP: Schema = {
  properties: {
    type: {
      description: "Such as string, integer, app or $.interface.timer",
      minLength: null,
      pattern: "\\S",
    },
  },
  ...when(ofType("^\\s*alert\\s*$"), {
    properties: {
      alertType: { enum: ["info", "neutral", "warning", "error"] },
      content: { type: "string" },
    },
    required: ["content"],
  }),
};

const ACTION: Schema = {
  properties: {
    runs: { const: true },
    hooks: { maxItems: 0 },
    props: { items: { not: ofType("^\\s*\\$\\.interface\\.") } },
  },
};

const COMPONENT: Schema = {
  title: "Component definition",
  description:
    "The definition that Wellspring reads from a component's module: its fields as data, without functions",
  properties: {
    name: { minLength: null, maxLength: null, pattern: trimmed(1000) },
    version: {
      type: ["string", "number"],
      minLength: null,
      maxLength: null,
      pattern: trimmed(1000),
    },
    key: { description: "The component's name in steps and API calls" },
    dedupe: { description: "The strategy by which a source drops duplicate events" },
    runs: { description: "Whether it has a run method" },
    hooks: { description: "Which hooks it has" },
    dynamic: { description: "Whether it has additionalProps, or props that depend on values" },
    sampleEmit: { description: "An example of its events" },
    annotations: { description: "Hints for the decision whether to run it" },
    props: { description: "Its props in the order of its declaration", items: PROP },
  },
  allOf: [
    when({ properties: { type: { const: "action" } } }, ACTION),
    when(
      { properties: { props: { contains: ofType("^\\s*\\$\\.interface\\.http\\s*$") } } },
      { properties: { runs: { const: true } } },
    ),
  ],
};

/** Fields that may be null, which counts as absent. */
const NULLABLE = new Set(["key", "description", "dedupe"]);

/** The JSON Schema of a component's definition, with the rules that JSON Schema can express. */
export function componentSchema(): Schema {
  const { $schema, ...generated } = JSON.parse(
    JSON.stringify(z.toJSONSchema(Definition, { io: "input", unrepresentable: "any" })),
  );
  const { properties, ...rest } = merge(
    { $schema, title: "", description: "", ...generated },
    COMPONENT,
  );
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties ?? {}).map(([name, property]) => [
        name,
        NULLABLE.has(name) ? orNull(property) : property,
      ]),
    ),
  };
}

function orNull(property: Schema): Schema {
  const { type, enum: choices } = property;
  return {
    ...property,
    type: [type ?? "string", "null"],
    ...(Array.isArray(choices) && { enum: [...choices, null] }),
  };
}
