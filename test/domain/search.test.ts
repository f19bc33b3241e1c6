import { expect, test } from "vitest";

import { termsOf, wordsOf } from "#domain/search.ts";

test.for([
  ["New Order", ["new", "order"]],
  ["  stripe,stripe  ", ["stripe"]],
  ["github-new_issue", ["github", "new", "issue"]],
  ["Café Ñandú ＡＢＣ", ["cafe", "nandu", "abc"]],
  ["注文 v2.1", ["注文", "v2", "1"]],
  [`"'%_*--`, []],
  ["", []],
  ["x".repeat(100), ["x".repeat(64)]],
  [
    Array.from({ length: 20 }, (_, n) => `w${n}`).join(" "),
    Array.from({ length: 10 }, (_, n) => `w${n}`),
  ],
] as const)("the words of %j", ([query, words]) => {
  expect(wordsOf(query)).toEqual(words);
});

test("a word weighs as much as the best place where it stands", () => {
  expect(
    termsOf({ key: "shop-new-order", name: "New Order", description: "Orders of a shop" }),
  ).toEqual({ new: 8, order: 8, shop: 6, orders: 1, of: 1, a: 1 });
  expect(termsOf({ key: "k", name: "__proto__ constructor" })).toEqual({
    k: 6,
    proto: 8,
    constructor: 8,
  });
});
