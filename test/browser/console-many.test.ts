import { expect, test } from "vitest";

import { rowsOf, scroll, withManySources } from "../../tools/browser/many.ts";
import { useStage, visit } from "../support/browser.ts";

const MAX_ROWS = 100;

/** These sources are rows alone: they have no object with a stream. */
const NO_OBJECT = /status of 404 .*\/v1\/sources\/dc_\d{7}\/sse\)$/;

const { preparation, owner } = withManySources();
const stage = useStage(preparation);

test("a list of 10,000 sources has at most 100 rows in the document at any time", async () => {
  const { page, expectFault } = await visit(stage(), { api_key: owner().apiKey });
  expectFault(NO_OBJECT);
  await page.goto("/console/sources");
  await page.getByText("Source 10000", { exact: true }).waitFor();
  await page
    .getByText(/10,000/)
    .first()
    .waitFor();
  expect(await scroll(page, 20)).toBeLessThanOrEqual(MAX_ROWS);
  expect(await page.getByText("Source 10000", { exact: true }).count()).toBe(0);

  const filter = page.locator("main").getByRole("searchbox").first();
  await filter.pressSequentially("source 777");
  await page.getByText("Source 7770", { exact: true }).waitFor();
  expect(await rowsOf(page)).toBeLessThanOrEqual(MAX_ROWS);
  await expect.poll(() => new URL(page.url()).search).toContain("source");

  await page.reload();
  await page.getByText("Source 7770", { exact: true }).waitFor();
  await page.getByText("Source 7770", { exact: true }).click();
  await page.getByRole("heading", { name: "Source 7770", level: 1 }).waitFor();
  await page.goBack();
  await page.getByText("Source 7770", { exact: true }).waitFor();
});

test("the search over everything finds one of 10,000", async () => {
  const { page, expectFault } = await visit(stage(), { api_key: owner().apiKey });
  expectFault(NO_OBJECT);
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  // At once: the results of a part of it would be shown meanwhile.
  await page.getByPlaceholder(/search/i).fill("source 9876");
  await page.getByText("Source 9876").first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Source 9876", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/sources/dc_0009876");
});
