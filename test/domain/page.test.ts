import { expect, test } from "vitest";

import {
  actionOf,
  type CursorPosition,
  cursorText,
  deliveryOf,
  eventOf,
  hitOf,
  plainCursor,
  recordOf,
  rowOf,
  textOfPlainCursor,
} from "#domain/page.ts";

const READERS = {
  row: (text: string) => rowOf(text),
  event: (text: string) => eventOf(text),
  record: (text: string) => recordOf(text),
  delivery: (text: string) => deliveryOf(text),
  hit: (text: string) => hitOf(text),
  action: (text: string) => actionOf(text),
};

const DELIVERY = "dlv_1700000000000-3_dc_1";

test.for<[CursorPosition, unknown]>([
  [{ kind: "row", seq: 42 }, 42],
  [{ kind: "event", id: "1700000000000-3" }, "1700000000000-3"],
  [{ kind: "record", key: "ä/✓" }, "ä/✓"],
  [{ kind: "delivery", id: DELIVERY }, DELIVERY],
  [
    { kind: "hit", score: 12, key: "shop-ä:1" },
    { score: 12, key: "shop-ä:1" },
  ],
  [
    { kind: "hit", score: 0, key: "" },
    { score: 0, key: "" },
  ],
  [
    { kind: "action", app: 2, after: undefined },
    { app: 2, after: undefined },
  ],
  [
    { kind: "action", app: 0, after: { score: 3, key: "a-b" } },
    { app: 0, after: { score: 3, key: "a-b" } },
  ],
])("the text of %j is read by the reader of its kind alone", ([position, expected]) => {
  const text = cursorText(position);
  const positions = Object.entries(READERS).map(([kind, read]) => [kind, read(text)]);
  expect(Object.fromEntries(positions)).toEqual({ [position.kind]: expected });
});

test.for(["", "42", "r-1", "r1e3", "e1", "k", "k%", "ddlv_1", "h1", "hx:a", "a", "ah1:b", "a1h"])(
  "%j is the text of no position",
  (text) => {
    for (const read of Object.values(READERS)) expect(read(text)).toBeUndefined();
  },
);

test("cursors of earlier releases are read", () => {
  const text = textOfPlainCursor(plainCursor({ kind: "row", seq: 42 }));
  expect([text, textOfPlainCursor("cjQy")]).toEqual(["r42", "r42"]);
  expect(deliveryOf(textOfPlainCursor(DELIVERY))).toBe(DELIVERY);
  for (const cursor of ["%%%", "c1.cjQy", "", "42"])
    for (const read of Object.values(READERS))
      expect(read(textOfPlainCursor(cursor))).toBeUndefined();
});
