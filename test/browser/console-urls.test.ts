import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

const CODE = `export default { name: "Orders", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body); } };`;

const stage = useStage();

/** A user with an active source and a paused one, on a page of the console. */
async function opened(path: string) {
  const person = await newPerson(stage());
  const call = callAs(person);
  const fields = { component_code: CODE };
  const orders = await call("POST", "/sources", { ...fields, name: "Orders" });
  const returns = await call("POST", "/sources", { ...fields, name: "Returns" });
  await call("PUT", `/sources/${returns.id}`, { active: false });
  const { page, context } = await visit(stage(), { api_key: person.apiKey });
  await page.goto(`/console/${path}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { page, context, orders: String(orders.id) };
}

const endOf = (page: Page) => {
  const { pathname, search, hash } = new URL(page.url());
  return `${pathname}${search}${hash}`;
};

const sourcesOn = (page: Page) =>
  page.locator("main").getByRole("link", { name: /^(Orders|Returns)$/ });

const field = (page: Page) => page.getByPlaceholder(/search everything/i);

test("the back button undoes a chosen filter, and a typed one is no entry of the history", async () => {
  const { page } = await opened("");
  await page.getByRole("link", { name: "Sources", exact: true }).click();
  await expect.poll(() => sourcesOn(page).allInnerTexts()).toEqual(["Returns", "Orders"]);
  await page.getByText("Paused", { exact: true }).first().click();
  await expect.poll(() => sourcesOn(page).allInnerTexts()).toEqual(["Returns"]);
  await page.locator("main").getByRole("searchbox").pressSequentially("ret", { delay: 250 });
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("ret");
  await page.goBack();
  await expect.poll(() => sourcesOn(page).allInnerTexts()).toEqual(["Returns", "Orders"]);
  await expect.poll(() => page.locator("main").getByRole("searchbox").inputValue()).toBe("");
  await page.goForward();
  await expect.poll(() => sourcesOn(page).allInnerTexts()).toEqual(["Returns"]);
  await expect.poll(() => page.locator("main").getByRole("searchbox").inputValue()).toBe("ret");
  await page.goBack();
  await page.goBack();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();

  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  await page.getByRole("link", { name: "Inactive" }).click();
  await page.getByText("No webhook matches").waitFor();
  await page.goBack();
  await page.getByText("No webhooks yet").waitFor();
});

test("the search and its text have a URL: a link, a reload and the back button work", async () => {
  const { page, context, orders } = await opened("webhooks");
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  await expect.poll(() => endOf(page)).toBe("/console/webhooks#search");
  await page.keyboard.type("orders");
  const result = page.getByRole("option", { name: /Orders/ }).first();
  await result.waitFor();
  await expect.poll(() => endOf(page)).toBe("/console/webhooks#search-orders");
  await page.reload();
  await result.waitFor();
  expect(await field(page).inputValue()).toBe("orders");

  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
  expect(endOf(page)).toBe(`/console/sources/${orders}`);
  await field(page).waitFor({ state: "detached" });
  await page.goBack();
  await result.waitFor();
  expect(await field(page).inputValue()).toBe("orders");
  await page.goBack();
  await field(page).waitFor({ state: "detached" });
  expect(endOf(page)).toBe("/console/webhooks");
  await page.goForward();
  await result.waitFor();
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  await expect.poll(() => endOf(page)).toBe("/console/webhooks");

  // A text with the characters of a URL, in a link that was sent.
  const other = await context.newPage();
  const text = "50% #1/?%41";
  await other.goto(`/console/sources#search-${encodeURIComponent(text)}`);
  await other.getByText("No result matches.").waitFor();
  expect(await field(other).inputValue()).toBe(text);
  await other.keyboard.press("Escape");
  await field(other).waitFor({ state: "detached" });
  await expect.poll(() => endOf(other)).toBe("/console/sources");
  expect(await other.getByText("The address names").count()).toBe(0);
});

test("the search does not open over a dialog, whose text would be lost", async () => {
  const { page } = await opened("webhooks");
  // Its code is loaded at its first use.
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "New webhook" }).first().click();
  const name = page.getByRole("dialog").getByLabel("Name");
  await name.fill("Warehouse");
  await page.keyboard.press("Control+k");
  // A later key still reaches the dialog.
  await page.keyboard.press("s");
  await expect.poll(() => name.inputValue()).toBe("Warehouses");
  expect(await field(page).count()).toBe(0);
  expect(endOf(page)).toBe("/console/webhooks#new");
});

test("on a phone, the search is one tap away, and its result shows without the navigation over it", async () => {
  const { page, orders } = await opened("");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("banner").getByRole("button", { name: "Search" }).click();
  await field(page).fill("orders");
  await page
    .getByRole("option", { name: /Orders/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
  expect(endOf(page)).toBe(`/console/sources/${orders}`);

  await page.getByRole("banner").getByRole("button").first().click();
  await page
    .getByLabel("Navigation", { exact: true })
    .getByRole("button", { name: /^Search/ })
    .click();
  await field(page).fill("returns");
  await page
    .getByRole("option", { name: /Returns/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "Returns", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Logs" }).click();
  await page.getByText("No log lines yet").waitFor();
});
