import { expect, test } from "vitest";

import { encodeCursor, eventOf, recordOf, rowOf } from "#domain/page.ts";

test("a cursor contains its place, and is valid only in a list of its kind", () => {
  const row = encodeCursor({ kind: "row", seq: 42 });
  const event = encodeCursor({ kind: "event", id: "1700000000000-3" });
  const record = encodeCursor({ kind: "record", key: "ä/✓" });
  expect([rowOf(record), eventOf(record), recordOf(record)]).toEqual([undefined, undefined, "ä/✓"]);
  expect([recordOf(row), recordOf(event), recordOf(btoa("k%"))]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect([rowOf(row), eventOf(row)]).toEqual([42, undefined]);
  expect([rowOf(event), eventOf(event)]).toEqual([undefined, "1700000000000-3"]);
});

test.for(["", "42", "%%%", "r42", btoa("r-1"), btoa("r1e3"), btoa("e1")])(
  "%j is not a cursor",
  (text) => {
    expect([rowOf(text), eventOf(text)]).toEqual([undefined, undefined]);
  },
);
