import * as fc from "fast-check";
import { expect, test } from "vitest";

import { admit, type Candidate, type Remembered, UNIQUE_CAPACITY } from "#domain/dedupe.ts";

const at = (atMs: number, ...ids: (string | undefined)[]) =>
  ids.map((id, index): Candidate => ({ id, atMs: atMs + index }));
const idsOf = (list: readonly { id?: string | undefined }[]) => list.map(({ id }) => id);

test.for([
  {
    strategy: "unique",
    memory: ["a"],
    ids: ["a", "b", "b"],
    admitted: ["b"],
    remembered: ["a", "b"],
  },
  { strategy: "greatest", memory: ["5"], ids: ["4", "9", "7"], admitted: ["9"], remembered: ["9"] },
  { strategy: "greatest", memory: [], ids: ["-3", "-7"], admitted: ["-3"], remembered: ["-3"] },
  {
    strategy: "greatest",
    memory: ["9007199254740993"],
    ids: ["9007199254740992", "9007199254740994"],
    admitted: ["9007199254740994"],
    remembered: ["9007199254740994"],
  },
  { strategy: "greatest", memory: ["1.5"], ids: ["1.25", "2"], admitted: ["2"], remembered: ["2"] },
  {
    strategy: "last",
    memory: ["b"],
    ids: ["a", "b", "c", "d"],
    admitted: ["c", "d"],
    remembered: ["d"],
  },
  { strategy: "last", memory: ["z"], ids: ["a", "b"], admitted: ["a", "b"], remembered: ["b"] },
  { strategy: "last", memory: ["b"], ids: ["a", "b"], admitted: [], remembered: ["b"] },
] as const)(
  "$strategy admits $admitted of $ids after $memory",
  ({ strategy, memory, ids, admitted, remembered }) => {
    const result = admit(strategy, at(0, ...memory) as Remembered[], at(100, ...ids));
    expect(idsOf(result.admitted)).toEqual(admitted);
    expect(idsOf(result.memory)).toEqual(remembered);
  },
);

test("an older run does not change the memory of last", () => {
  const memory = [{ id: "new", atMs: 1000 }];
  const result = admit("last", memory, at(10, "old"));
  expect(idsOf(result.admitted)).toEqual(["old"]);
  expect(result.memory).toEqual(memory);
});

test.for([
  ["unique", undefined, 'needs an id: the component dedupes by "unique"'],
  ["greatest", "x", 'numeric id, got "x"'],
  ["greatest", "", 'numeric id, got ""'],
] as const)("%s rejects the id %j with a reason", ([strategy, id, reason]) => {
  const result = admit(strategy, [], at(0, id));
  expect(result.admitted).toEqual([]);
  expect(result.rejected[0]?.reason).toContain(reason);
});

const batches = fc.array(fc.array(fc.integer({ min: 0, max: 250 }), { maxLength: 40 }), {
  maxLength: 20,
});

/** Pass batches through a strategy and collect the admitted ids. */
function feed(strategy: "unique" | "greatest" | "last", lists: number[][]): (string | undefined)[] {
  let memory: readonly Remembered[] = [];
  return lists.flatMap((list, index) => {
    const result = admit(strategy, memory, at(index * 1000, ...list.map(String)));
    memory = result.memory;
    return idsOf(result.admitted);
  });
}

test("unique agrees with a plain first-in-first-out cache", () => {
  fc.assert(
    fc.property(batches, (lists) => {
      const cache: number[] = [];
      const expected = lists.flat().filter((id) => {
        if (cache.includes(id)) return false;
        cache.push(id);
        if (cache.length > UNIQUE_CAPACITY) cache.shift();
        return true;
      });
      expect(feed("unique", lists)).toEqual(expected.map(String));
    }),
  );
});

test("greatest agrees with a running maximum", () => {
  fc.assert(
    fc.property(batches, (lists) => {
      let maximum = -1;
      const expected = lists.flat().filter((id) => id > maximum && ((maximum = id), true));
      expect(feed("greatest", lists)).toEqual(expected.map(String));
    }),
  );
});

test("last agrees with dropping each run up to the last emitted id", () => {
  fc.assert(
    fc.property(batches, (lists) => {
      let last: number | undefined;
      const expected = lists.flatMap((list) => {
        const admitted = list.slice(last === undefined ? 0 : list.lastIndexOf(last) + 1);
        last = admitted.at(-1) ?? last;
        return admitted;
      });
      expect(feed("last", lists)).toEqual(expected.map(String));
    }),
  );
});
