import { expect, test } from "vitest";

import { problemsOf, validValues } from "../../../console/src/components/props-form/check.ts";
import { Draft, withoutDrafts } from "../../../console/src/components/props-form/draft.ts";
import {
  type ConfigurableProp,
  isRequired,
  specsOf,
} from "../../../console/src/components/props-form/spec.ts";

const problems = (prop: ConfigurableProp, value: unknown, kept: string[] = []) =>
  problemsOf(specsOf([prop]), { [prop.name]: value }, new Set(kept))[prop.name];

test.for([
  [{ type: "string" }, undefined, "is required"],
  [{ type: "string", optional: true }, undefined, undefined],
  [{ type: "string", disabled: true }, undefined, undefined],
  [{ type: "integer", min: 1, max: 3 }, 3, undefined],
  [{ type: "integer", min: 1 }, 0, "must be at least 1"],
  [{ type: "integer", max: 3 }, 4, "must be at most 3"],
  [{ type: "integer" }, 0.5, "must be an integer"],
  [{ type: "integer[]" }, [1, 0.5], "its value 2 must be an integer"],
  [{ type: "object" }, [], "must be a JSON object"],
  [{ type: "object" }, new Draft("{", "is half typed"), "is half typed"],
  [{ type: "any[]" }, [1, new Draft("x", "is half typed")], "is half typed"],
  [{ type: "app", app: "shop", auth: ["api_key"] }, undefined, "is required"],
  [{ type: "app", app: "shop" }, undefined, undefined],
  [{ type: "$.interface.timer" }, undefined, "is required"],
  [{ type: "$.interface.timer" }, { intervalSeconds: 15 }, undefined],
  [{ type: "$.interface.timer" }, { interval_seconds: 14 }, "must be at least 15 seconds"],
  [{ type: "$.interface.timer" }, { cron: "* *" }, "needs a cron expression of 5 or 6 fields"],
  [{ type: "$.interface.timer" }, { cron: "0 9 * * *", timezone: "UTC" }, undefined],
  [{ type: "http_request" }, { url: "javascript:alert(1)" }, "its URL must begin with https://"],
  [{ type: "http_request", default: { url: "" } }, undefined, "is required"],
  [{ type: "sql" }, { query: " " }, "needs a query"],
] as const)("for the prop %j, the value %j has the problem %j", ([prop, value, problem]) => {
  expect(problems({ name: "x", ...prop }, value)).toBe(problem);
});

test("a stored secret is not required again", () => {
  const prop = { name: "token", type: "string", secret: true };
  expect(problems(prop, undefined)).toBe("is required");
  expect(problems(prop, undefined, ["token"])).toBeUndefined();
});

test("the form does not send incomplete or absent values", () => {
  const draft = new Draft("{", "is half typed");
  expect(
    withoutDrafts({ a: 1, b: draft, c: [draft], d: { e: draft }, f: undefined, g: null }),
  ).toEqual({
    a: 1,
    g: null,
  });
});

test("the form evaluates a component without invalid values", () => {
  const specs = specsOf([
    { name: "limit", type: "integer", min: 2 },
    { name: "tag", type: "string" },
    { name: "word", type: "string" },
  ]);
  const given = { limit: 1, tag: "red", word: null, unknown: 1 };
  expect(validValues(specs, given)).toEqual({ tag: "red", word: null, unknown: 1 });
});

test("the form leaves out props without a field, and spells out names without a label", () => {
  const specs = specsOf([
    { name: "db", type: "$.service.db" },
    { name: "dir", type: "dir" },
    { name: "gone", type: "string", hidden: true },
    {
      name: "pollInterval",
      type: "string[]",
      options: ["a", { label: "B", value: 2 }, { value: 3 }],
    },
  ]);
  expect(specs).toMatchObject([
    {
      name: "pollInterval",
      label: "Poll interval",
      type: "string",
      isList: true,
      choices: [
        { label: "a", value: "a" },
        { label: "B", value: 2 },
        { label: "3", value: 3 },
      ],
    },
  ]);
  expect(specs.map(isRequired)).toEqual([true]);
});
