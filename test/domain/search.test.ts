import { expect, test } from "vitest";

import { type Candidates, queryOf, searchOf, termsOf } from "#domain/search.ts";

test.for([
  ["New Order", ["new", "order"]],
  ["  stripe,stripe  ", ["stripe"]],
  ["invoice invoices", ["invoices"]],
  ["github-new_issue", ["github", "new", "issue"]],
  ["Café Ñandú ＡＢＣ", ["cafe", "nandu", "abc"]],
  ["注文 v2.1", ["注文", "v2", "1"]],
  ["notify me when a form is submitted", ["form", "submitted"]],
  ["openai text to speech", ["openai", "text", "speech"]],
  ["When is it?", []],
  [`"'%_*--`, []],
  ["🎉🎉", []],
  ["", []],
  ["x".repeat(100), ["x".repeat(64)]],
  [
    Array.from({ length: 20 }, (_, n) => `w${n}`).join(" "),
    Array.from({ length: 10 }, (_, n) => `w${n}`),
  ],
] as const)("extracts the words of %j", ([query, words]) => {
  expect(queryOf(query).words.map(({ word }) => word)).toEqual(words);
});

test("a query about an event prefers sources", () => {
  expect(queryOf("Notify me of orders").prefersSources).toBe(true);
  expect(queryOf("send order").prefersSources).toBe(false);
});

test("a term has the weight of its best place", () => {
  const component = {
    key: "big_shop-new-order",
    name: "New Orders",
    description: "Orders of a shop that sells. See https://docs.example/api",
    apps: ["shopping_app"],
  };
  expect(termsOf(component)).toEqual({
    weights: {
      new: 100,
      order: 100,
      big: 50,
      shop: 50,
      bigshop: 50,
      app: 50,
      shoppingap: 50,
      sell: 10,
      see: 10,
    },
    words: expect.arrayContaining([
      { word: "orders", term: "order" },
      { word: "sells", term: "sell" },
    ]),
  });
  expect(termsOf({ key: "k", name: "__proto__ constructor" }).weights).toMatchObject({ k: 40 });
});

test("indexes only the first 500 words of a component", () => {
  const description = Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(" ");
  expect(termsOf({ key: "k", name: "Book", description }).words).toHaveLength(500);
});

function candidates(found: Partial<Candidates>): Candidates {
  return { exact: [], synonyms: [], begun: [], misspelt: [], total: 1000, ...found };
}

function candidate(word: string, count: number, index = 0) {
  return { word, term: word, count, index };
}

const meant = (text: string, found: Partial<Candidates>) =>
  searchOf(queryOf(text), candidates(found)).meanings.map(({ word, factor }) => [word, factor]);

test("corrects a word that is unknown, or whose neighbour is far more common", () => {
  const misspelt = [candidate("slack", 100), candidate("snake", 100)];
  expect(meant("slak", { misspelt })).toEqual([
    ["slak", 40],
    ["slack", 12],
  ]);
  expect(meant("slak", { misspelt, exact: [candidate("slak", 5)] })).toHaveLength(2);
  expect(meant("slak", { misspelt, exact: [candidate("slak", 6)] })).toEqual([["slak", 80]]);
});

test("rare words weigh more, and prefixes less than whole words", () => {
  const exact = [candidate("new", 500), candidate("shop", 1, 1)];
  const begun = [candidate("shopify", 30, 1)];
  expect(meant("new shop", { exact, begun })).toEqual([
    ["new", 20],
    ["shop", 110],
    ["shopify", 44],
  ]);
});

test.for([
  ["one", 1],
  ["one two", 2],
  ["one two three", 2],
  ["one two three four", 3],
] as const)("for %j a component needs %i words", ([text, needed]) => {
  expect(searchOf(queryOf(text), candidates({})).needed).toBe(needed);
});

test("a task has synonyms, which weigh less than its words, and one word is enough", () => {
  const task = queryOf("pinged Bob", { isTask: true });
  expect(task.synonyms).toEqual([
    { index: 0, word: "send", term: "send" },
    { index: 0, word: "message", term: "messag" },
  ]);
  expect(queryOf("pinged Bob").synonyms).toEqual([]);
  const synonyms = [candidate("send", 500), candidate("message", 250), candidate("post", 0)];
  const { needed, rarest, meanings } = searchOf(task, candidates({ synonyms }));
  expect([needed, rarest]).toEqual([1, ["ping", "send", "message", "post"]]);
  expect(meanings.map(({ word, factor }) => [word, factor])).toEqual([
    ["pinged", 110],
    ["send", 8],
    ["message", 12],
    ["post", 4],
    ["bob", 110],
  ]);
});

test("searches only for the rarest words that every hit must contain one of", () => {
  const exact = [5, 900, 20, 700].map((count, index) => candidate(`w${index}`, count, index));
  const { needed, rarest } = searchOf(queryOf("w0 w1 w2 w3"), candidates({ exact }));
  expect([needed, rarest]).toEqual([3, ["w0", "w2"]]);
});
