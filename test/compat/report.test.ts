import { expect, test } from "vitest";

import { differences } from "../../tools/compat/diff.ts";
import { causeOf, furthest } from "../../tools/compat/evidence.ts";
import { figuresOf, groupsOf, tableOf } from "../../tools/compat/report.ts";
import { troubleOf } from "../../tools/compat/rules.ts";
import type { Step } from "../../tools/compat/steps.ts";
import { isPassed, type Result } from "../../tools/compat/subject.ts";

const NOTHING = { code: new Map<string, string>(), requests: [] };

function result(path: string, step?: Step, message = "no"): Result {
  const base = { path, app: "a", kind: "source", shape: "object", requests: 0, events: 0, ms: 1 };
  const trouble = step && troubleOf(step, { name: "Error", message }, NOTHING);
  const end = trouble ? { outcome: "failed", trouble } : { outcome: "emitted", savedMs: 5 };
  return { ...base, ...end } as Result;
}

test("groups failures by common causes, in the order of a trial's steps", () => {
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

test("a cause omits names, numbers, files and URLs", () => {
  const message = `a/b.mjs:3:14: got 404 from https://a.test/x for "id"`;
  expect(causeOf(troubleOf("run", { name: "E", message }, NOTHING))).toBe(
    "E: <file>: got <n> from <url> for <name>",
  );
});

test("reports the failure of the latest step", () => {
  const [early, late] = [result("a", "options").trouble, result("a", "run").trouble];
  expect(late && furthest(early, late)).toBe(late);
  expect(early && furthest(late, early)).toBe(late);
});

test("the table ends with the totals of each outcome", () => {
  const running: Result = { ...result("d"), outcome: "running" };
  const lines = tableOf([result("a", "bundle"), result("b"), result("c"), running]);
  expect(lines[0]).toMatch(/^step +blame +count +cause +because$/);
  expect(lines.at(-1)).toBe(
    "sources: 2 of 4 pass (50.0 %): 2 emitted, 1 running, 1 failed; failures by 1 platform; 0 without an account",
  );
});

test("a component that is still running has not passed, unlike one without requests or events", () => {
  const ends = (["emitted", "returned", "silent", "idle", "running", "failed"] as const).map(
    (outcome) => isPassed({ outcome }),
  );
  expect(ends).toEqual([true, true, true, true, false, false]);
});

test("the figures exclude missing packages and invalid code", () => {
  const gone = result("gone", "bundle");
  const results = [result("a"), result("b", "bundle"), result("c"), gone];
  if (gone.trouble) gone.trouble.blame = "package";
  expect(figuresOf(results)).toMatchObject({
    tried: 4,
    sound: 3,
    savedPercent: 66.67,
    platformFaultPercent: 33.33,
    saveMs: { median: 5, p95: 5 },
  });
});

test("comparing two reports lists improvements and regressions", () => {
  const before = [result("a"), result("b", "bundle"), result("c"), result("only before")];
  const after = [result("a", "run"), result("b"), result("c")];
  expect(differences(before, after)).toEqual([
    "worse:",
    "  a",
    "    emitted -> failed at run by component: Error",
    "better:",
    "  b",
    "    failed at bundle by platform: Error -> emitted",
    "3 in both: 1 worse, 1 better, 0 otherwise changed",
  ]);
});
