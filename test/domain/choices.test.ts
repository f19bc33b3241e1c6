import { expect, test } from "vitest";

import { readChoices, staticChoices } from "#domain/choices.ts";

test("reads options from a component's isolate", () => {
  const choices = { options: [{ label: "A", value: { a: 1 } }], context: { after: 2 } };
  expect(readChoices(JSON.stringify(choices))).toEqual(choices);
  expect(readChoices(`{"options":[]}`)).toEqual({ options: [] });
});

test.for([
  "",
  "null",
  "[]",
  "{",
  `{"options":{}}`,
  `{"options":["a"]}`,
  `{"options":[{"label":1}]}`,
])("rejects %j as options", (text) => {
  expect(readChoices(text)).toBeUndefined();
});

test("static options in a prop may be values, pairs, labels or anything else", () => {
  const options = ["a", 1, true, { label: "B", value: "b" }, { label: "both" }, { value: [1] }];
  expect(staticChoices({ name: "x", type: "any", options })).toEqual({
    options: [
      { label: "a", value: "a" },
      { label: "1", value: 1 },
      { label: "true", value: true },
      { label: "B", value: "b" },
      { label: "both", value: "both" },
      { label: "[1]", value: [1] },
    ],
  });
  expect(staticChoices({ name: "x", type: "any" })).toBeUndefined();
});
