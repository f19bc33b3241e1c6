// @suites loader

import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator, request } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";

/** A word that only the slugs of one test's apps contain. */
const newWord = (): string => newToken().toLowerCase();

const slugsOf = (body: { data: { name_slug: string }[] }) =>
  body.data.map(({ name_slug }) => name_slug);

test("lists apps in a given order, by a part of their names, page by page", async () => {
  const { connect } = await newCustomer();
  const word = newWord();
  const [a, b, c] = [`${word}_a`, `${word}_b`, `${word}_c`];
  await operator.put(`/apps/${a}`, { name: `Zebra ${word}`, featured_weight: 1 });
  await operator.put(`/apps/${b}`, { name: `apple ${word}`, featured_weight: 3 });
  await operator.put(`/apps/${c}`, { name: `Mango ${word}`, featured_weight: 2 });
  const list = async (more: string) => (await connect.get(`/apps?q=${word}${more}`)).body;
  expect(slugsOf(await list(""))).toEqual([a, b, c]);
  expect(slugsOf(await list("&sort_key=name"))).toEqual([b, c, a]);
  expect(slugsOf(await list("&sort_key=featured_weight&sort_direction=desc"))).toEqual([b, c, a]);
  const first = await list("&sort_key=name&limit=2");
  expect(first.page_info).toMatchObject({ total_count: 3, count: 2 });
  const second = await list(`&sort_key=name&limit=2&after=${first.page_info.end_cursor}`);
  expect(slugsOf(second)).toEqual([a]);
  const back = await list(`&sort_key=name&limit=2&before=${second.page_info.start_cursor}`);
  expect(slugsOf(back)).toEqual([b, c]);
});

test("the list of apps has a second path, for clients from before Connect", async () => {
  const { connect, ada, token } = await newCustomer();
  const word = newWord();
  await operator.put(`/apps/${word}`, { name: `Mango ${word}`, categories: [word] });
  const query = `?q=${word}&category_ids=other,${word}&has_components=0`;
  const listed = (await connect.get(`/apps${query}`)).body;
  expect(slugsOf(listed)).toEqual([word]);
  const headers = { authorization: `Bearer ${token}` };
  expect(await request("GET", `/v1/apps${query}`, { headers })).toMatchObject({ body: listed });
  expect(await request("GET", `/v1/apps/${word}`, { headers })).toMatchObject({
    status: 200,
    body: { data: listed.data[0] },
  });
  expect((await ada.get(`/apps/${query}`)).body).toEqual(listed);
  expect(await request("GET", "/v1/apps")).toMatchObject({ status: 401 });
});

test("finds apps by their category", async () => {
  const customer = await newCustomer();
  const word = newWord();
  await operator.put(`/apps/${word}`, { categories: [`Shops & ${word}`, "Other"] });
  const browser = await newBrowser(customer, "one");
  const categories = await browser.get("/app_categories");
  const category = categories.body.find(({ name }: { name: string }) => name.includes(word));
  expect(category).toEqual({ id: `shops-and-${word}`, name: `Shops & ${word}` });
  expect((await browser.get(`/app_categories/${category.id}`)).body).toEqual(category);
  expect((await browser.get("/app_categories/nowhere")).status).toBe(404);
  const listed = await browser.get(`/apps?category_ids=${category.id}&category_ids=none`);
  expect(slugsOf(listed.body)).toEqual([word]);
  expect((await browser.get("/apps?category_ids=none")).body.data).toEqual([]);
});
