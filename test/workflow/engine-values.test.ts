import { expect, test } from "vitest";

import type { StepOutcome } from "#durable-objects/workflow/contract.ts";
import {
  keptOutcome,
  resumeEvent,
  resumptionIn,
  tooLarge,
  outcomeIn,
} from "#durable-objects/workflow/engine-values.ts";

const MEBIBYTE = 1024 * 1024;

const outcomeOf = (exports: string): StepOutcome => ({
  exports,
  failure: null,
  pause: null,
  parcels: [],
  ends: null,
});

test.for([
  ["plain text", JSON.stringify({ a: "x".repeat(999_000) })],
  [
    "text beyond Latin-1, which a string holds in two bytes a character",
    JSON.stringify({ a: `…${"x".repeat(999_000)}` }),
  ],
  ["quotes, which JSON in JSON escapes", JSON.stringify(Array.from({ length: 333_000 }, () => ""))],
] as const)("stores 1 MB of %s in 1 MiB", ([, exports]) => {
  const outcome = outcomeOf(exports);
  const kept = keptOutcome(outcome);
  expect(kept.exports.byteLength + kept.rest.byteLength).toBeLessThan(MEBIBYTE);
  expect(outcomeIn(kept)).toEqual(outcome);
});

test("reads an older release's outcome unchanged", () => {
  const outcome = outcomeOf("{}");
  expect(outcomeIn(outcome)).toBe(outcome);
});

test("a step with a result that is too large for the engine fails with its size", () => {
  expect(tooLarge("x".repeat(500_000), ["y".repeat(400_000)])).toBeUndefined();
  expect(tooLarge("x".repeat(900_000), ["y".repeat(200_000)])).toMatchObject({
    name: "RangeError",
    message: expect.stringContaining("1100004 bytes") as string,
  });
});

test("a request that ends a pause reaches the run, unless it is too large for the engine", () => {
  const resumption = {
    action: "resume",
    request: JSON.stringify({ body: "…".repeat(300_000) }),
  } as const;
  const event = resumeEvent(resumption);
  expect(event && resumptionIn(event)).toEqual(resumption);
  expect(resumptionIn(resumption)).toEqual(resumption);
  expect(resumeEvent({ action: "resume", request: "x".repeat(MEBIBYTE) })).toBeUndefined();
});
