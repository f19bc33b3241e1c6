import { expect, test } from "vitest";

import { groupsOf, tableOf } from "../../compat/report.ts";
import type { Result } from "../../compat/subject.ts";
import { causeOf, furthest, type Step, troubleOf } from "../../compat/trouble.ts";

function result(path: string, step?: Step, message = "no", asked = false): Result {
  const base = { path, app: "a", kind: "source", shape: "object", requests: 0, events: 0, ms: 1 };
  const trouble = step && troubleOf(step, { name: "Error", message }, asked);
  return { ...base, ...(trouble && { trouble }) } as Result;
}

test.for([
  ["bundle", `"x" cannot be resolved`, false, "platform"],
  ["run", "fs.cp is not implemented", true, "platform"],
  ["run", "Cannot read properties of undefined (reading 'id')", true, "answers"],
  ["run", "Choose a mode", false, "component"],
] as const)("%s: %s is blamed on the right one", ([step, message, asked, blame]) => {
  expect(troubleOf(step, { name: "Error", message }, asked).blame).toBe(blame);
});

test("failures are grouped by what they have in common, in the order of a trial", () => {
  const groups = groupsOf([
    result("a", "run", `Cannot read "x"`),
    result("b", "bundle", `"left-pad" is gone`),
    result("c", "bundle", `"right-pad" is gone`),
    result("d", "bundle", "another"),
    result("e"),
  ]);
  expect(groups.map(({ step, count, examples }) => [step, count, examples])).toEqual([
    ["bundle", 2, ["b", "c"]],
    ["bundle", 1, ["d"]],
    ["run", 1, ["a"]],
  ]);
});

test("a cause leaves out names, numbers, files and URLs", () => {
  const message = `a/b.mjs:3:14: got 404 from https://a.test/x for "id"`;
  expect(causeOf(troubleOf("run", { name: "E", message }, true))).toBe(
    "E: <file>: got <n> from <url> for <name>",
  );
});

test("the trouble that came furthest is the one to tell", () => {
  const [early, late] = [result("a", "options").trouble, result("a", "run").trouble];
  expect(late && furthest(early, late)).toBe(late);
  expect(early && furthest(late, early)).toBe(late);
});

test("the table ends with how many passed", () => {
  const lines = tableOf([result("a", "hook"), result("b"), result("c"), result("d")]);
  expect(lines[0]).toMatch(/^step +blame +count +cause$/);
  expect(lines.at(-1)).toBe("sources: 3 of 4 pass (75.0 %), 0 fail by the platform");
});
