import * as fc from "fast-check";
import { expect, test } from "vitest";

import { isOrdinary } from "#sandbox/outcome-fast-path.ts";
import { checkedOutcome, OutcomeShape } from "#sandbox/outcome.ts";

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
  { what: "a time that is no integer", spoilt: { emitted: [{ payload: "", emittedAtMs: 1.5 }] } },
  { what: "an id that is no text", spoilt: { emitted: [{ payload: "", emittedAtMs: 1, id: 7 }] } },
  { what: "a value that is no text", spoilt: { db: { a: 1 } } },
  { what: "a line without a level", spoilt: { logs: [{ message: "", atMs: 1 }] } },
  { what: "a status that is none", spoilt: { response: { status: 7, headers: {}, body: null } } },
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
])("an outcome with $what is refused", ({ spoilt }) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a hostile isolate may say.
  expect(() => checkedOutcome({ ...plain(), ...spoilt } as never)).toThrow(
    /expected|must be|Invalid|nested too deep/,
  );
});

test("unknown fields of an outcome are dropped", () => {
  expect(checkedOutcome({ ...plain(), more: 1 } as never)).toEqual(plain());
});
