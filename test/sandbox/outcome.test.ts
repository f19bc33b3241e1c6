// @suites loader

import * as fc from "fast-check";
import { expect, test } from "vitest";

import { HookHost } from "#durable-objects/source/host.ts";
import { isOrdinary } from "#sandbox/outcome-fast-path.ts";
import {
  checkedEvaluation,
  checkedOutcome,
  checkedResponse,
  OutcomeShape,
} from "#sandbox/outcome.ts";
import type { Evaluation } from "#sandbox/user-code.ts";

const plain = () => ({
  emitted: [{ payload: "{}", emittedAtMs: 1, id: "a", ts: 2 }],
  db: { seen: "1", gone: null },
  logs: [{ level: "info", message: "hello", atMs: 3 }],
  uncaught: [],
  step: { exports: "{}", sideEffects: [] },
});

const DEEP = "[".repeat(501) + "]".repeat(501);

const anything = fc.oneof(
  fc.anything(),
  fc.string(),
  fc.integer(),
  fc.constant(undefined),
  fc.constant([]),
);
const name = fc.oneof(
  fc.string(),
  fc.constantFrom("payload", "emittedAtMs", "id", "name", "summary", "ts", "deliveryTs"),
  fc.constantFrom("emitted", "db", "logs", "uncaught", "response", "failure", "step"),
  fc.constantFrom("level", "message", "atMs", "exports", "exit", "pause", "sideEffects"),
);

test("the fast path and the schema agree on valid outcomes", () => {
  const spoil = fc.record({
    at: fc.constantFrom("", "emitted", "db", "logs", "step"),
    name,
    anything,
  });
  fc.assert(
    fc.property(fc.array(spoil, { maxLength: 3 }), (spoils) => {
      const outcome: Record<string, unknown> = plain();
      const { emitted, db, logs, step } = plain();
      const [emission, line] = [{ ...emitted[0] }, { ...logs[0] }];
      Object.assign(outcome, { emitted: [emission], db, logs: [line], step });
      const places: Record<string, object> = {
        "": outcome,
        emitted: emission,
        db,
        logs: line,
        step,
      };
      for (const { at, name: key, anything: value } of spoils)
        Object.defineProperty(places[at], key, {
          value,
          enumerable: true,
          writable: true,
          configurable: true,
        });
      expect(isOrdinary(outcome) ? OutcomeShape.parse(outcome) : outcome).toEqual(outcome);
    }),
    { numRuns: 2000 },
  );
  expect(isOrdinary(plain())).toBe(true);
  expect(isOrdinary({ ...plain(), step: undefined })).toBe(true);
});

test.for([
  { what: "no list of emissions", spoilt: { emitted: {} } },
  { what: "an emission without a payload", spoilt: { emitted: [{ emittedAtMs: 1 }] } },
  { what: "a fractional time", spoilt: { emitted: [{ payload: "", emittedAtMs: 1.5 }] } },
  { what: "a number as id", spoilt: { emitted: [{ payload: "", emittedAtMs: 1, id: 7 }] } },
  { what: "a number as value", spoilt: { db: { a: 1 } } },
  { what: "a line without a level", spoilt: { logs: [{ message: "", atMs: 1 }] } },
  { what: "an invalid status", spoilt: { response: { status: 7, headers: {}, body: null } } },
  { what: "a step without exports", spoilt: { step: { sideEffects: [] } } },
  {
    what: "a payload that is nested too deep",
    spoilt: { emitted: [{ payload: DEEP, emittedAtMs: 1 }] },
  },
  {
    what: "a step's exports that are nested too deep",
    spoilt: { step: { exports: DEEP, sideEffects: [] } },
  },
  { what: "a failure that is text", spoilt: { failure: "no" } },
])("rejects an outcome with $what", ({ spoilt }) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a hostile isolate may return this.
  expect(() => checkedOutcome({ ...plain(), ...spoilt } as never)).toThrow(
    /expected|must be|Invalid|nested too deep/,
  );
});

test("drops unknown fields of an outcome", () => {
  expect(checkedOutcome({ ...plain(), more: 1 } as never)).toEqual(plain());
});

test("does not commit a db value that is nested too deep, from a run or a hook", async () => {
  expect(checkedOutcome({ ...plain(), db: { a: DEEP } })).toMatchObject({
    db: {},
    failure: { name: "InvalidOutcome", message: expect.stringContaining("nested too deep") },
  });
  const written: string[] = [];
  const host = new HookHost((key) => void written.push(key));
  await expect(host.setDb("a", DEEP)).rejects.toThrow("nested too deep");
  await host.setDb("b", "[1]");
  expect(written).toEqual(["b"]);
});

const far = (length: number) => "я".repeat(length);
const NO_FAILURE = { name: "E", message: "m", stack: "s" };
const step = (more: object) => ({ step: { exports: "{}", sideEffects: [], ...more } });
const rerun = (context: string) => step({ pause: { kind: "rerun", ms: 1, context } });
const respond = (more: object) => ({ response: { status: 200, headers: {}, body: null, ...more } });
const emits = (count: number, emission: object) => ({
  emitted: Array.from({ length: count }, () => ({ payload: "1", emittedAtMs: 1, ...emission })),
});

test.for([
  ["events beyond Latin-1", emits(20, { payload: `"${far(500_000)}"` }), "16 MB"],
  ["ids, names and summaries", emits(80, { summary: "x".repeat(250_000) }), "16 MB"],
  ["a summary beyond Latin-1", emits(1, { summary: far(140_000) }), "larger than they may be"],
  ["a response's body", respond({ body: "x".repeat(15e6) }), "28 MB"],
  ["a response's bytes", respond({ body: new Uint8Array(30e6) }), "28 MB"],
  ["a response's headers", respond({ headers: { a: ["x".repeat(15e6)] } }), "28 MB"],
  ["many headers", respond({ headers: { a: Array.from({ length: 1001 }, () => "") } }), "1,000"],
  ["a reason to exit", step({ exit: "x".repeat(5000) }), "a reason to exit"],
  ["a context to rerun with", rerun(JSON.stringify("x".repeat(1.1e6))), "a context"],
] as [string, object, string][])("does not commit %s beyond the limit", ([, spoilt, why]) => {
  expect(checkedOutcome({ ...plain(), ...spoilt })).toEqual({
    emitted: [],
    db: {},
    logs: [],
    failure: expect.objectContaining({ message: expect.stringContaining(why) }),
  });
});

test("commits an outcome just within the limits", () => {
  for (const most of [
    emits(33, { payload: `"${"é".repeat(500_000)}"` }),
    emits(1, { summary: far(131_072) }),
    respond({ headers: { a: ["x", "y"] }, body: "x".repeat(14e6) }),
    step({ exit: "x".repeat(4096) }),
    rerun(JSON.stringify("x".repeat(1e6))),
  ]) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each has the shape of an outcome.
    const outcome = { ...plain(), ...most } as never;
    expect(checkedOutcome(outcome)).toEqual(outcome);
  }
});

test("a response during a run has the same limits", () => {
  const { response } = respond({ body: "x".repeat(15e6) });
  expect(() => checkedResponse(response)).toThrow("28 MB");
});

test.for([
  ["not JSON", { ok: true, value: "{" }],
  ["larger than 8 MB", { ok: true, value: JSON.stringify("x".repeat(9e6)) }],
  ["longer than it may be", { ok: false, failure: { ...NO_FAILURE, stack: "x".repeat(9000) } }],
] as [string, Evaluation][])("an evaluation that is %s is a failure", ([why, evaluation]) => {
  expect(checkedEvaluation(evaluation)).toMatchObject({
    ok: false,
    failure: { name: "InvalidOutcome", message: expect.stringContaining(why) },
  });
});

test("returns a valid evaluation unchanged", () => {
  for (const evaluation of [
    { ok: true, value: "[1]" },
    { ok: false, failure: NO_FAILURE },
  ] as const)
    expect(checkedEvaluation(evaluation)).toEqual(evaluation);
});
