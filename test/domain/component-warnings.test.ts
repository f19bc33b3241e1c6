import { expect, test } from "vitest";

import { componentWarnings, defaultWarnings } from "#domain/component-warnings.ts";

type Prop = { name: string; type?: string; fields?: string[] };

function warningsOf(component: string[], hooks: string[] = [], props: Prop[] = []): string[] {
  const whole = props.map(({ name, type = "string", fields = [] }) => ({ name, type, fields }));
  return componentWarnings(JSON.stringify({ names: { component, hooks, props: whole } }));
}

test.for([
  ["propz", "props"],
  ["hook", "hooks"],
  ["dedup", "dedupe"],
  ["methds", "methods"],
  ["additonalProps", "additionalProps"],
] as const)("%s of a component is probably %s", ([name, meant]) => {
  expect(warningsOf(["name", name])).toEqual([
    `${name}: is not a known field: did you mean "${meant}"?`,
  ]);
});

test.for([
  ["lable", "label"],
  ["optinal", "optional"],
  ["alertTyp", "alertType"],
  ["option", "options"],
] as const)("%s of a prop is probably %s", ([name, meant]) => {
  expect(warningsOf([], [], [{ name: "word", fields: ["type", name] }])).toEqual([
    `props.word.${name}: is not a known field: did you mean "${meant}"?`,
  ]);
});

test.for([
  ["activte", 'hooks.activte: is never called: did you mean "activate"?'],
  ["before", "hooks.before: is never called"],
])("warns about the hook %s", ([hook = "", warning]) => {
  expect(warningsOf([], [hook, "deploy"])).toEqual([warning]);
});

test.for([
  ["strng", ': did you mean "string"?'],
  ["strng[]", ': did you mean "string[]"?'],
  ["colour", ""],
  ["$.something.new", ""],
])("warns about the type %s", ([type = "", question]) => {
  expect(warningsOf([], [], [{ name: "x", type }])).toEqual([
    `props.x.type: "${type}" is not a known type, so its values are not checked${question}`,
  ]);
});

test("unusual but valid names get no warning", () => {
  const names = ["name", "run", "$schema", "helpers", "hooks", "hook"];
  const fields = ["type", "format", "static", "placeholder"];
  const types = ["integer[]", "sql", "$.interface.apphook", "$.airtable.baseId"];
  const props = types.map((type) => ({ name: "x", type, fields }));
  expect(warningsOf(names, [], props)).toEqual([]);
});

test("ignores an invalid result of an isolate, and limits the warnings", () => {
  expect(componentWarnings("{}")).toEqual([]);
  expect(componentWarnings(`{"names": {"component": [1], "hooks": [], "props": []}}`)).toEqual([]);
  const many = Array.from({ length: 100 }, (_, index) => `hook${index}${"x".repeat(200)}`);
  const warnings = warningsOf([], many);
  expect(warnings).toHaveLength(50);
  expect(warnings[0]?.length).toBeLessThan(130);
});

test("a default that would be refused as a value is named", () => {
  const props = [
    { name: "count", type: "integer", default: "three" },
    { name: "loud", type: "boolean", default: "yes" },
    { name: "sizes", type: "integer[]", default: [1, "two"] },
    { name: "fine", type: "integer", default: 3 },
    { name: "none", type: "integer" },
    { name: "word", type: "string", default: 3 },
  ];
  expect(defaultWarnings(props)).toEqual([
    "props.count.default: must be an integer",
    "props.loud.default: must be true or false",
    "props.sizes.default: its element 1 must be an integer",
  ]);
});
